import { setUp } from '../support/chain/accounts.ts'
import type { BuiltChain } from '../support/chain/build.ts'
import { contracts, rareTopic, slotsFilled } from '../support/chain/plan.ts'
import { encodeCall } from '../support/chain/signing.ts'

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** A row of requests: the one that is number `index` of a thousand, on any chain of the same plan. */
export interface RequestRow {
  readonly name: string
  readonly connections: readonly number[]
  /** How many different requests there are; a thousand if undefined. */
  readonly count?: number
  /** Peers that need minutes for one of them. */
  readonly without?: readonly string[]
  /** Whether the response says something of the node itself, so that no other gives the same. */
  readonly isOwn?: boolean
  /** Whether a bare server that answers a constant is measured too. */
  readonly hasFloor?: boolean
  draw(chain: BuiltChain, index: number): RpcCall | readonly RpcCall[]
}

const all = [1, 16, 64]
const few = [1, 16]
const alone = [1]
const slow = ['hardhat', 'ganache']

const hex = (value: number): string => `0x${value.toString(16)}`

/** Spreads the draws over a list, the same way on every run. */
const pick = <T>(list: readonly T[], index: number): T => list[(index * 7919) % list.length] as T

const call = (method: string, ...params: readonly unknown[]): RpcCall => ({ method, params })

const callOf = (to: string, data: string, from?: string): RpcCall =>
  call('eth_call', { ...(from === undefined ? {} : { from }), to, data }, 'latest')

const { token, workbench } = contracts

const balanceOf = (chain: BuiltChain, index: number): RpcCall =>
  callOf(token, encodeCall('balanceOf(address)', pick(chain.holders, index)))

const logsBetween = (from: number, to: number, rest: object): RpcCall =>
  call('eth_getLogs', { fromBlock: hex(from), toBlock: hex(to), ...rest })

/** The first and the last block with logs. */
const ends = ({ logBlocks }: BuiltChain): [number, number] => [
  logBlocks[0]?.number ?? 0,
  logBlocks.at(-1)?.number ?? 0,
]

/** The loops take as long whatever they count to: a little more or less makes the requests differ. */
const loop = (name: string, count: number, signature: string): RequestRow => ({
  name,
  connections: alone,
  count: 100,
  without: slow,
  draw: (_chain, index) => callOf(workbench, encodeCall(signature, count + (index % 100))),
})

const reads: readonly RequestRow[] = [
  {
    name: 'eth_blockNumber',
    connections: all,
    isOwn: true,
    hasFloor: true,
    draw: () => call('eth_blockNumber'),
  },
  { name: 'eth_chainId', connections: few, draw: () => call('eth_chainId') },
  {
    name: 'web3_clientVersion',
    connections: few,
    isOwn: true,
    draw: () => call('web3_clientVersion'),
  },
  {
    name: 'eth_getBalance',
    connections: all,
    draw: ({ holders }, index) => call('eth_getBalance', pick(holders, index), 'latest'),
  },
  {
    name: 'eth_getTransactionCount',
    connections: few,
    draw: ({ holders }, index) => call('eth_getTransactionCount', pick(holders, index), 'latest'),
  },
  {
    name: 'transaction by hash',
    connections: all,
    draw: ({ transfers }, index) => call('eth_getTransactionByHash', pick(transfers, index)),
  },
  {
    name: 'receipt',
    connections: all,
    draw: ({ transfers }, index) => call('eth_getTransactionReceipt', pick(transfers, index)),
  },
  {
    name: 'block with hashes',
    connections: few,
    draw: ({ busyBlocks }, index) => call('eth_getBlockByNumber', hex(pick(busyBlocks, index).number), false),
  },
  {
    name: 'full block',
    connections: few,
    draw: ({ busyBlocks }, index) => call('eth_getBlockByNumber', hex(pick(busyBlocks, index).number), true),
  },
  {
    name: 'block receipts',
    connections: few,
    draw: ({ busyBlocks }, index) => call('eth_getBlockReceipts', hex(pick(busyBlocks, index).number)),
  },
]

const logs: readonly RequestRow[] = [
  {
    name: 'logs of one block',
    connections: few,
    draw: ({ logBlocks }, index) => {
      const { number } = pick(logBlocks, index)
      return logsBetween(number, number, { address: workbench })
    },
  },
  {
    name: 'logs of 100 blocks',
    connections: alone,
    draw: (chain, index) => {
      const { number } = pick(chain.logBlocks.slice(0, -100), index) ?? chain.logBlocks[0]
      return logsBetween(number, number + 99, { address: workbench })
    },
  },
  {
    name: 'logs of the chain by address',
    connections: alone,
    count: 10,
    without: slow,
    draw: (chain, index) => {
      const [first, last] = ends(chain)
      return logsBetween(first + (index % 10), last, { address: workbench })
    },
  },
  {
    name: 'rare topic over the chain',
    connections: few,
    draw: (chain, index) => {
      const [first, last] = ends(chain)
      return logsBetween(Math.max(0, first - (index % 8)), last, { topics: [rareTopic] })
    },
  },
]

const calls: readonly RequestRow[] = [
  { name: 'eth_call balanceOf', connections: all, draw: balanceOf },
  {
    name: 'eth_call 100 storage reads',
    connections: few,
    draw: (_chain, index) =>
      callOf(workbench, encodeCall('sum(uint256)', (index * 7919) % (slotsFilled - 100))),
  },
  {
    name: 'estimateGas of a token transfer',
    connections: few,
    draw: ({ holders }, index) => {
      const data = encodeCall('transfer(address,uint256)', pick(holders, index), 1)
      return call('eth_estimateGas', { from: setUp.address, to: token, data })
    },
  },
  loop('eth_call arithmetic loop', 100_000, 'arithmetic(uint256)'),
  loop('eth_call keccak loop', 100_000, 'hashes(uint256)'),
  {
    name: 'eth_call ERC-20 loop',
    connections: alone,
    count: 100,
    without: slow,
    draw: (_chain, index) =>
      callOf(token, encodeCall('transfers(uint256)', 500 + (index % 100)), setUp.address),
  },
  {
    name: 'batch of 100 mixed',
    connections: few,
    count: 100,
    draw: (chain, index) =>
      Array.from({ length: 100 }, (_, at) => {
        const row = mixed[at % mixed.length] as RequestRow
        return row.draw(chain, index * 100 + at) as RpcCall
      }),
  },
]

/** Chain id, balance, nonce, transaction, receipt, call. */
const mixed = [...reads.slice(1, 2), ...reads.slice(3, 7), calls[0] as RequestRow]

const trace = (name: string, config: object, without: readonly string[] = ['ganache']): RequestRow => ({
  name,
  connections: alone,
  count: 100,
  without,
  draw: ({ heavy }, index) => call('debug_traceTransaction', pick(heavy, index), config),
})

const traces: readonly RequestRow[] = [
  trace('callTracer', { tracer: 'callTracer' }, slow),
  trace('prestateTracer', { tracer: 'prestateTracer' }, slow),
  trace('struct logger', {}, slow),
  trace('struct logger without stack', { disableStack: true }, slow),
]

export const requestRows: readonly RequestRow[] = [...reads, ...logs, ...calls, ...traces]

const requestCount = 1_000

/** Returns the bodies of a row on a chain. Each has an id of its own. */
export const bodiesOf = ({ draw, count = requestCount }: RequestRow, chain: BuiltChain): string[] =>
  Array.from({ length: count }, (_, index) => {
    const drawn = draw(chain, index)
    const bodies = ('method' in drawn ? [drawn] : drawn).map((one, at) => ({
      jsonrpc: '2.0',
      id: index * 100 + at + 1,
      ...one,
    }))
    return JSON.stringify('method' in drawn ? bodies[0] : bodies)
  })
