import type { RpcClient } from '../../support/rpc/rpcClient.ts'
import type { Traffic } from './traffic.ts'

/** Every read method, over every block that there is. */

export interface Question {
  readonly method: string
  readonly params: readonly unknown[]
}

interface Block {
  readonly hash: string
  readonly transactions: readonly string[]
}

const hex = (value: number): string => `0x${value.toString(16)}`
const ask = (method: string, ...params: readonly unknown[]): Question => ({ method, params })

const ofBlock = (number: string, { hash, transactions }: Block): Question[] => [
  ask('eth_getBlockByNumber', number, true),
  ask('eth_getBlockByNumber', number, false),
  ask('eth_getBlockByHash', hash, true),
  ask('eth_getBlockByHash', hash, false),
  ask('eth_getHeaderByNumber', number),
  ask('eth_getHeaderByHash', hash),
  ask('eth_getBlockReceipts', number),
  ask('eth_getBlockTransactionCountByNumber', number),
  ask('eth_getBlockTransactionCountByHash', hash),
  ask('eth_getUncleCountByBlockNumber', number),
  ask('eth_getUncleCountByBlockHash', hash),
  ask('eth_getTransactionByBlockNumberAndIndex', number, hex(transactions.length)),
]

const tracers = [
  {},
  { tracer: 'callTracer' },
  { tracer: 'callTracer', tracerConfig: { withLog: true } },
  { tracer: 'prestateTracer' },
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  { tracer: '4byteTracer' },
]

const ofTransaction = (number: string, block: string, hash: string, index: number): Question[] => [
  ask('eth_getTransactionByHash', hash),
  ask('eth_getTransactionReceipt', hash),
  ask('eth_getTransactionByBlockNumberAndIndex', number, hex(index)),
  ask('eth_getTransactionByBlockHashAndIndex', block, hex(index)),
  ask('eth_getTransactionLogs', hash),
  ...tracers.map((options) => ask('debug_traceTransaction', hash, options)),
]

const ofState = (number: string, { accounts, contracts }: Traffic): Question[] => {
  const addresses = [...accounts, ...Object.values(contracts), `0x${'77'.repeat(20)}`]
  return addresses.flatMap((address) => [
    ask('eth_getBalance', address, number),
    ask('eth_getTransactionCount', address, number),
    ask('eth_getCode', address, number),
    ask('eth_getStorageAt', address, '0x0', number),
  ])
}

const ofCalls = (number: string, { accounts, contracts }: Traffic): Question[] => {
  const from = accounts[0]
  const calls = [
    { from, to: contracts.stores },
    { from, to: contracts.stores, data: `0x${'5'.padStart(64, '0')}` },
    { from, to: contracts.reverts, data: '0x' },
    { from, to: contracts.reverts, data: '0x12345678' },
    {
      from,
      to: contracts.reverts,
      data: `0x08c379a0${'20'.padStart(64, '0')}${'2'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`,
    },
    { from, to: contracts.reverts, data: `0x4e487b71${'12'.padStart(64, '0')}` },
    { from, to: contracts.invalid, gas: hex(100_000) },
    { from, to: contracts.burns, gas: hex(100_000) },
    { from, to: contracts.creates },
    { from, to: accounts[1], value: '0x1' },
    { from, to: accounts[1], value: `0x${'f'.repeat(30)}` },
    { from, data: '0x60006000f3' },
    { to: contracts.stores },
  ]
  return calls.flatMap((call) => [ask('eth_call', call, number), ask('eth_estimateGas', call, number)])
}

const ofLogs = (first: number, head: number, { contracts }: Traffic, block: string): Question[] => {
  const topic = `0x${'a1'.repeat(32)}`
  const range = { fromBlock: hex(first), toBlock: hex(head) }
  return [
    range,
    { ...range, address: contracts.logs },
    { ...range, address: [contracts.logs, contracts.stores] },
    { ...range, topics: [topic] },
    { ...range, topics: [[topic, `0x${'00'.repeat(32)}`]] },
    { ...range, topics: [null, null, `0x${'1'.padStart(64, '0')}`] },
    { ...range, topics: [`0x${'00'.repeat(32)}`] },
    { fromBlock: hex(head), toBlock: hex(head) },
    { fromBlock: hex(Math.max(head - 3, 1)), toBlock: hex(head) },
    { fromBlock: hex(head), toBlock: hex(head + 1) },
    { blockHash: block },
  ].map((filter) => ask('eth_getLogs', filter))
}

const ofFees = (head: number): Question[] => [
  ask('eth_feeHistory', hex(10), hex(head), [25, 50, 75]),
  ask('eth_feeHistory', hex(1), hex(head), []),
  ask('eth_feeHistory', hex(5), hex(Math.max(head - 5, 5)), [0, 100]),
]

const ofChain = (): Question[] => [
  ask('eth_chainId'),
  ask('net_version'),
  ask('net_listening'),
  ask('net_peerCount'),
  ask('eth_syncing'),
  ask('eth_protocolVersion'),
  ask('eth_getBlockByHash', `0x${'12'.repeat(32)}`, false),
  ask('eth_getTransactionByHash', `0x${'12'.repeat(32)}`),
  ask('eth_getTransactionReceipt', `0x${'12'.repeat(32)}`),
  ask('eth_getBlockByNumber', '0xffffff', false),
  ask('eth_getBlockReceipts', '0xffffff'),
]

/** Over blocks `first` to `head`. */
export async function* questions(
  gateway: RpcClient,
  traffic: Traffic,
  first: number,
  head: number,
): AsyncGenerator<Question> {
  yield* ofChain()
  yield* ofFees(head)
  let busiest: Block = { hash: '', transactions: [] }
  for (let height = first; height <= head; height++) {
    const number = hex(height)
    const block = await gateway.call<Block>('eth_getBlockByNumber', number, false)
    if (block.transactions.length > busiest.transactions.length) busiest = block
    yield* ofBlock(number, block)
    for (const [index, hash] of block.transactions.entries())
      yield* ofTransaction(number, block.hash, hash, index)
    if (block.transactions.length > 0) {
      yield ask('debug_traceBlockByNumber', number, { tracer: 'callTracer' })
      yield ask('debug_traceBlockByHash', block.hash, { tracer: 'callTracer' })
      yield* ofState(number, traffic)
      yield ask('eth_getProof', traffic.contracts.stores, ['0x0'], number)
    }
  }
  yield* ofCalls(hex(head), traffic)
  yield* ofLogs(first, head, traffic, busiest.hash)
}
