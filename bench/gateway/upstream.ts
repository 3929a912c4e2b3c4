import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ReplayCommand } from './replayProcess.ts'

const replayFile = fileURLToPath(new URL('replayProcess.ts', import.meta.url))

export interface UpstreamOptions {
  readonly blocks: number
  /** How many each block holds; none by default. */
  readonly transactions?: number
  /** How many bytes of data each has. */
  readonly bytes?: number
  /** Only every so manieth block holds any. */
  readonly every?: number
  /** How many accounts send them. */
  readonly authors?: number
  /** Whether states can be proven. */
  readonly proofs?: boolean
  /** The height at which the nodes are at first; that of the last block by default. */
  readonly first?: number
  readonly nodes?: number
  /** Milliseconds before each response. */
  readonly delay?: number
}

export interface Upstream {
  /** What a gateway must be told of its nodes. */
  readonly flags: readonly string[]
  tell(command: ReplayCommand): void
  stop(): Promise<void>
}

const toArgs = (options: UpstreamOptions): string[] =>
  Object.entries(options).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [`--${name}`, ...(value === true ? [] : [String(value)])],
  )

/** Starts nodes of a made-up chain. */
export const startUpstream = async (options: UpstreamOptions): Promise<Upstream> => {
  const args = ['--import', 'tsx', replayFile, ...toArgs(options)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  if (child.stdout === null) throw new Error('its output is a pipe')
  for await (const line of createInterface({ input: child.stdout })) {
    const [, addresses] = /^replay ready (.+)$/.exec(line) ?? []
    if (addresses === undefined) continue
    // Addresses of RPC and gRPC in turn.
    const flags = addresses
      .split(' ')
      .flatMap((address, index) => [index % 2 === 0 ? '--node' : '--grpc', address])
    return {
      flags,
      tell: (command) => void child.send(command),
      stop: async () => {
        child.kill('SIGTERM')
        await ended
      },
    }
  }
  throw new Error('the replay upstream ended')
}
