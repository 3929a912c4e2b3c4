import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programPath } from '../../support/program.ts'
import { until } from '../homeProcess.ts'

/**
 * A machine of the network that a page describes: a folder in the place of its disk, and an address of the loopback network in the place of its
 * own and of its `127.0.0.1`, so that all of them listen on the same ports. Commands of the page that are not ours have stand-ins.
 */

/** The tools of a page beside `perihelion`: between machines, of the machine's services, and of the chain. */
const standIns = (cast: string): Readonly<Record<string, string>> => ({
  perihelion: `exec '${process.execPath}' '${programPath}' "$@"`,
  cast: `exec '${process.execPath}' '${cast}' "$@"`,
  scp: `for last; do :; done
while [ $# -gt 1 ]; do cp "$1" "../\${last%:}/" 2>/dev/null || [ "\${last%:}" = "$NAME" ]; shift; done`,
  systemctl: `stop() { [ -f .pid ] || return 0; pid=$(cat .pid); kill -TERM $pid 2>/dev/null || true; while kill -0 $pid 2>/dev/null; do sleep 0.1; done; rm -f .pid; }
start() { : > .ready; nohup perihelion start --home node >> .ready 2>> .log < /dev/null & echo $! > .pid
  until grep -q '^perihelion ready' .ready; do kill -0 $(cat .pid) 2>/dev/null || { tail -3 .log >&2; exit 1; }; sleep 0.1; done; }
case $1 in stop) stop ;; start) start ;; restart) stop; start ;; disable) ;; *) exit 64 ;; esac`,
})

/** Longer than any block takes: what hangs is ended, with what it printed. */
const blockMs = 120_000

export interface Printed {
  readonly code: number | NodeJS.Signals
  readonly text: string
}

export class Machine {
  readonly name: string
  readonly folder: string
  readonly #env: Readonly<Record<string, string>>
  readonly #translate: (text: string) => string

  constructor(options: {
    readonly name: string
    readonly folder: string
    readonly host: string
    readonly cast: string
    readonly env: Readonly<Record<string, string>>
    /** Replaces the addresses that the page names. */
    readonly translate: (text: string) => string
  }) {
    const { name, host } = options
    this.name = name
    this.folder = join(options.folder, name)
    const bin = join(this.folder, '.bin')
    mkdirSync(bin, { recursive: true })
    for (const [command, script] of Object.entries(standIns(options.cast))) {
      writeFileSync(join(bin, command), `#!/bin/sh\n${script}\n`)
      chmodSync(join(bin, command), 0o755)
    }
    this.#translate = (text) => options.translate(text).replaceAll('127.0.0.1', host)
    this.#env = {
      PATH: [bin, process.env.PATH].join(':'),
      HOME: this.folder,
      NAME: name,
      PERIHELION_JSON_RPC_ADDRESS: options.translate(`${host}:8545`),
      PERIHELION_JSON_RPC_WS_ADDRESS: `${host}:0`,
      PERIHELION_ENGINE_RPC: options.translate(`http://${host}:26657`),
      PERIHELION_ENGINE_P2P: options.translate(`${host}:26656`),
      ...options.env,
    }
  }

  #spawn(text: string): ChildProcess {
    const file = join(this.folder, '.block.sh')
    writeFileSync(file, `${this.#translate(text)}\n`)
    return spawn('sh', ['-eu', file], {
      cwd: this.folder,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  /** Runs a block to its end. */
  async run(text: string): Promise<Printed> {
    const child = this.#spawn(text)
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        printed += chunk
      })
    const limit = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGTERM'), blockMs)
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals]
    clearTimeout(limit)
    return { code: code ?? signal, text: printed }
  }

  /** Starts the node of a block and waits until it serves. */
  async start(text: string): Promise<Printed> {
    const child = this.#spawn(text.replace(/^perihelion start/m, 'exec perihelion start'))
    child.stderr?.pipe(createWriteStream(join(this.folder, '.log'), { flags: 'a' }))
    writeFileSync(join(this.folder, '.pid'), `${child.pid}\n`)
    let printed = ''
    let end: number | null | undefined
    child.stdout?.on('data', (chunk) => {
      printed += chunk
    })
    child.once('exit', (code) => {
      end = code
    })
    await until(
      `${this.name} serves`,
      () => printed.includes('perihelion ready') || end !== undefined,
      240_000,
    )
    return {
      code: end === undefined ? 0 : (end ?? 1),
      text: end === undefined ? printed : `${printed}${this.log()}`,
    }
  }

  log(): string {
    const file = join(this.folder, '.log')
    return existsSync(file) ? readFileSync(file, 'utf8').slice(-3000) : ''
  }

  /** Ends its node, whoever started it. */
  async close(): Promise<void> {
    await this.run('systemctl stop')
  }
}
