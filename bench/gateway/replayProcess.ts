import { parseArgs } from 'node:util'
import { startReplay } from '../../test/gateway/replay/server/server.ts'
import { SyntheticChain } from '../../test/gateway/replay/synthetic.ts'

/**
 * Nodes of a made-up chain in a process of its own, so that they take no time from what is measured. All blocks are made
 * before it begins; those above the first height are reported when a message asks for them.
 */
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '10000' },
    transactions: { type: 'string', default: '0' },
    authors: { type: 'string' },
    bytes: { type: 'string' },
    every: { type: 'string' },
    proofs: { type: 'boolean', default: false },
    first: { type: 'string' },
    nodes: { type: 'string', default: '1' },
    delay: { type: 'string' },
  },
})
const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)
const transactions = Number(values.transactions)
const chain = new SyntheticChain({
  family: 'cosmos-evm-0.7',
  length: Number(values.blocks),
  content: transactions === 0 ? 'empty' : { transactions, bytes: numberOf(values.bytes) },
  // Twice what a block asks for: its base fee does not grow, which no chain could bear for hundreds of blocks.
  maxGas: 30_000_000n + BigInt(transactions) * 120_000n,
  ...(values.every === undefined ? {} : { every: Number(values.every) }),
  hasProofs: values.proofs,
  ...(values.authors === undefined ? {} : { authors: Number(values.authors) }),
})
chain.built(chain.head)
if (values.first !== undefined) chain.head = Number(values.first)
const faults = values.delay === undefined ? {} : { delay: Number(values.delay) }
const replays = await Promise.all(
  Array.from({ length: Number(values.nodes) }, () => startReplay({ chain, faults })),
)

/** How a process of nodes is told to go on. */
export type ReplayCommand = { readonly beatMs: number } | { readonly grow: number }

let beat: NodeJS.Timeout | undefined
const grow = (): void => {
  const [first, ...others] = replays
  first?.grow()
  for (const replay of others) replay.announce()
}
process.on('message', (command: ReplayCommand) => {
  if ('grow' in command) for (let at = 0; at < command.grow; at++) grow()
  else {
    clearInterval(beat)
    beat = command.beatMs === 0 ? undefined : setInterval(grow, command.beatMs)
  }
})
const stop = async (): Promise<void> => {
  clearInterval(beat)
  for (const replay of replays) await replay.close()
  process.exit(0)
}
process.on('SIGTERM', () => void stop()).on('disconnect', () => void stop())
const addresses = replays.map(({ url, grpcAddress }) => `${url} ${grpcAddress}`)
process.stdout.write(`replay ready ${addresses.join(' ')}\n`)
