import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Peer {
  readonly url: string
  close(): Promise<void>
}

/** Starts anvil on a free port with the rules and the first block of a dev chain. */
export const startAnvil = (program: string, timestamp: number): Promise<Peer> =>
  spawnAnvil(program, [
    '--chain-id=31337',
    '--gas-limit=60000000',
    '--hardfork=osaka',
    '--disable-default-create2-deployer',
    `--timestamp=${timestamp}`,
  ])

/** Starts anvil on a free port. */
export const spawnAnvil = async (program: string, flags: readonly string[]): Promise<Peer> => {
  const child: ChildProcess = spawn(program, ['--port=0', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
      const [, address] = /Listening on (\S+)/.exec(output) ?? []
      if (address !== undefined) resolve(`http://${address}`)
    })
    child.on('error', reject)
    child.on('close', () => reject(new Error(`anvil ended: ${output}`)))
  })
  return {
    url,
    close: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    },
  }
}
