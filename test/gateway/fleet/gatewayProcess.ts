import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { mainFile } from '../../network/testnet.ts'
import type { Door } from './door.ts'

/** A gateway as a process of its own behind a door, so that it can be killed and come back. */
export class GatewayProcess {
  readonly #door: Door
  readonly #args: readonly string[]
  #child: ChildProcess | undefined
  #url: string | undefined

  constructor(door: Door, home: string, flags: readonly string[]) {
    this.#door = door
    this.#args = [mainFile, 'gateway', '--home', home, '--json-rpc.address=127.0.0.1:0', ...flags]
  }

  async start(): Promise<void> {
    const args = [...this.#args, '--json-rpc.ws-address=', '--json-rpc.vhosts=*']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    let errors = ''
    child.stderr.on('data', (text: Buffer) => {
      errors = `${errors}${text}`.slice(-4_000)
    })
    const url = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).on('line', (line) => {
        const found = line.startsWith('perihelion ready') ? /\bhttp=(\S+)/.exec(line)?.[1] : undefined
        if (found !== undefined) resolve(found)
      })
      child.once('close', (code) => reject(new Error(`the gateway ended with ${code}: ${errors}`)))
    })
    for (let round = 0; (await fetch(`${url}/ready`)).status !== 200; round++) {
      if (round > 1_000) throw new Error(`the gateway is not ready: ${errors}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    this.#url = url
    this.#door.leadTo(url)
  }

  /** Stops it where it is: connections stay, and nothing answers. */
  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  /** Lets it go on, also one that a balancer passes over meanwhile. */
  thaw(): void {
    this.#child?.kill('SIGCONT')
    this.#door.leadTo(this.#url)
  }

  /** A balancer has noticed that it does not answer. */
  passOver(): void {
    this.#door.leadTo(undefined)
  }

  /** What a power cut does. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  close(): Promise<void> {
    return this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = undefined
    this.#door.leadTo(undefined)
    if (child === undefined || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill(signal)
    await ended
  }
}
