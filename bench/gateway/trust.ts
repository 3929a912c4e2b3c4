import { type Connection, call, connect } from '../support/load/connection.ts'
import { ownSide } from '../support/run/inProcess.ts'
import type { Measured, Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { type RunningGateway, startGateway } from './runningGateway.ts'
import { startUpstream, type Upstream, type UpstreamOptions } from './upstream.ts'

const first = 5
const warmUpBlocks = 5
const parallel = 8
const authors = 50
const transactions = 20

const withGateway = async (
  options: UpstreamOptions,
  flags: readonly string[],
  measure: (gateway: RunningGateway, upstream: Upstream) => Promise<Measured>,
): Promise<Measured> => {
  const upstream = await startUpstream(options)
  const gateway = await startGateway([...upstream.flags, ...flags])
  try {
    await gateway.reach(options.first ?? options.blocks)
    return await measure(gateway, upstream)
  } finally {
    await gateway.stop()
    await upstream.stop()
  }
}

const growOneByOne = async (gateway: RunningGateway, upstream: Upstream, to: number): Promise<void> => {
  for (let height = (await gateway.height()) + 1; height <= to; height++) {
    upstream.tell({ grow: 1 })
    await gateway.reach(height)
  }
}

/** Blocks that come one by one, as at the head: each is proven by itself. */
const measureFollowing = (blocks: number, flags: readonly string[]): Promise<Measured> =>
  withGateway(
    { blocks: first + warmUpBlocks + blocks, transactions, first },
    flags,
    async (gateway, upstream) => {
      await growOneByOne(gateway, upstream, first + warmUpBlocks)
      const cpu = gateway.cpuMs()
      await growOneByOne(gateway, upstream, first + warmUpBlocks + blocks)
      return { figures: { cpuMicros: ((gateway.cpuMs() - cpu) * 1_000) / blocks } }
    },
  )

interface Named {
  readonly transactions: readonly { readonly from: string }[]
}

/** Balances of many accounts at many heights, each asked once: no response is kept from before. */
const measureBalances = (heights: number, flags: readonly string[]): Promise<Measured> =>
  withGateway(
    { blocks: heights + 2, transactions, authors, proofs: true },
    [...flags, '--json-rpc.rate-limit=0'],
    async (gateway) => {
      const senders = new Set<string>()
      for (let height = 1; height <= heights; height++) {
        const block = await gateway.client.call<Named>(
          'eth_getBlockByNumber',
          `0x${height.toString(16)}`,
          true,
        )
        for (const { from } of block.transactions) senders.add(from)
      }
      const questions = [...senders].flatMap((sender) =>
        Array.from({ length: heights }, (_, at) => [sender, `0x${(at + 1).toString(16)}`] as const),
      )
      const ask = async (connection: Connection): Promise<void> => {
        for (let one = questions.pop(); one !== undefined; one = questions.pop())
          await call(connection, 'eth_getBalance', ...one)
      }
      const connections = await Promise.all(Array.from({ length: parallel }, () => connect(gateway.port)))
      const count = questions.length
      const [cpu, started] = [gateway.cpuMs(), performance.now()]
      await Promise.all(connections.map(ask))
      const seconds = (performance.now() - started) / 1_000
      for (const connection of connections) connection.close()
      return { figures: { rate: count / seconds, cpuMicros: ((gateway.cpuMs() - cpu) * 1_000) / count } }
    },
  )

/** What proofs cost: of headers by signatures, of states by the AppHash. */
export const part = definePart<undefined>({
  sides: () => [ownSide(() => undefined)],
  rows: ({ isQuick }): readonly Row<undefined>[] => {
    const row = { by: 'cpuMicros' } as const
    return [
      ...(['verified', 'unverified'] as const).map((name) => ({
        ...row,
        name: `a block of ${transactions} transactions at the head, ${name}`,
        unit: 'block',
        measure: () =>
          measureFollowing(isQuick ? 5 : 60, name === 'verified' ? [] : ['--gateway.verify=false']),
      })),
      ...(['proven', 'believed'] as const).map((name) => ({
        ...row,
        name: `balance at a height, ${name}`,
        unit: 'request',
        measure: () => measureBalances(isQuick ? 4 : 40, name === 'proven' ? ['--gateway.verify-state'] : []),
      })),
    ]
  },
})
