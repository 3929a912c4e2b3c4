import { afterEach } from 'vitest'
import { createThreadLog } from '../../../src/gateway/follow/threadLog.ts'
import { UpstreamClient } from '../../../src/gateway/upstreams/upstreamClient.ts'
import type { UpstreamsOptions } from '../../../src/gateway/upstreams/upstreamSelector.ts'
import { type Replay, type ReplayOptions, startReplay } from './server/server.ts'
import { SyntheticChain } from './synthetic.ts'

const open: { close(): Promise<void> | void }[] = []

/** Closes what the tests of a file opened, newest first. A file that uses this module calls it once. */
export const closeAfterEach = (): void => {
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close()
  })
}

export const emptyChain = (length = 20): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length, content: 'empty' })

/** Starts a node of a chain of empty blocks. */
export const serve = async (options: Partial<ReplayOptions> = {}, length = 20): Promise<Replay> => {
  const replay = await startReplay({ chain: emptyChain(length), ...options })
  open.push(replay)
  return replay
}

/** Connects to nodes, and keeps what is logged about them. */
export const connect = async (
  nodes: UpstreamsOptions['nodes'],
  options: Partial<UpstreamsOptions> = {},
): Promise<{ readonly upstreams: UpstreamClient; readonly logs: readonly string[] }> => {
  const logs: string[] = []
  const log = createThreadLog(({ level, fields, text }) =>
    logs.push(`${level} ${text} ${JSON.stringify(fields)}`),
  )
  const upstreams = new UpstreamClient({ nodes, ...options }, log)
  open.push(upstreams)
  await upstreams.open(new AbortController().signal)
  return { upstreams, logs }
}
