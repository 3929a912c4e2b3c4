import { z } from 'zod'
import { maxUint64 } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { revertReason } from '../../chain/abi/revertReason.ts'
import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import { leastBlockGas } from '../../chain/config/limits.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { DevControl } from '../../chain/port/dev.ts'
import { defaultTraceOptions } from '../../chain/port/traces.ts'
import { readStreamedJson } from '../../chain/trace/streamedJson.ts'
import { callFailed, invalidParams, limitExceeded, requestTimedOut, unsupported } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { Done, nothing } from '../answers/done.ts'
import { describedObject, Flag, Text } from '../wire/basic.ts'
import { Address, Bytes32 } from '../wire/data.ts'
import { DevInteger, DevNumber, DevSeconds, DevUint64, MineOptions, PlainNumberOrNull } from '../wire/dev.ts'
import { coinbase } from '../wire/exampleValues.ts'
import { devMethod } from './devMethod.ts'
import { assertNotPast, assertReachable } from './time.ts'

/** The members of a call tracer's result that are read. */
interface CallResult {
  readonly result?: { readonly output?: string; readonly error?: string }
}

/** Returns a block with its transactions, each with what it returned and, if it reverted, the reason. */
const readDetailedBlock = async (
  chain: Chain,
  number: number,
  signal: AbortSignal,
): Promise<Record<string, unknown>> => {
  const text = chain.blocks.blockJson(number, true)
  if (text === undefined) throw callFailed(`block #${number} not found`)
  const block = JSON.parse(Buffer.from(text).toString()) as { transactions: object[] } // written by the store
  if (block.transactions.length === 0) return { ...block }
  const options = { ...defaultTraceOptions, tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
  const at = { kind: 'number' as const, number: BigInt(number) }
  const traces = await readStreamedJson<CallResult[]>(await chain.traces.block(at, options, signal))
  const transactions = block.transactions.map((transaction, index) => {
    const { output = '0x', error } = traces[index]?.result ?? {}
    const reason = error === undefined ? undefined : revertReason(fromHex(output))
    return { ...transaction, ...(reason === undefined ? {} : { revertReason: reason }), output }
  })
  return { ...block, transactions }
}

const isLondon = (chain: Chain): boolean => {
  const header = chain.blocks.header(chain.head().number)
  return header !== undefined && since(forkOfHeader(chain.config, header), 'london')
}

/** The most blocks that one call makes. */
const maxMined = 1_000_000

/** Makes blocks, for as long as the client waits for them. */
const mineBlocks = async (
  dev: DevControl,
  blocks: number,
  interval: number | undefined,
  signal: AbortSignal,
  spacing?: 'all' | 'between',
): Promise<void> => {
  if (blocks > maxMined)
    throw limitExceeded(`${blocks} blocks are more than the ${maxMined} that one call makes`)
  await dev.mine(blocks, interval, signal, spacing)
  if (signal.aborted) throw requestTimedOut()
}

/** Makes blocks, the first of them at a time if that is given. */
const mineWith = async (
  dev: DevControl,
  chain: Chain,
  options: { readonly timestamp: number | undefined; readonly blocks: number | undefined } | undefined,
  signal: AbortSignal,
): Promise<void> => {
  const { timestamp, blocks = 1 } = options ?? {}
  if (timestamp !== undefined) {
    assertNotPast(chain, timestamp)
    assertReachable(timestamp, 'parameter 1 (options)')
    await dev.setNextBlockTime(timestamp)
  }
  await mineBlocks(dev, blocks, undefined, signal)
}

const count = optionalParam('blocks', DevInteger, 'How many blocks; 1 when missing.')

/** The methods that make blocks, and say when and with what values they are made. */
export const devMiningMethods = [
  ...devMethod({
    names: ['anvil_mine'],
    summary: 'Makes blocks, however blocks are made otherwise.',
    work: 'write',
    params: [count, optionalParam('interval', DevInteger, 'The seconds from each block to the next.')],
    result: nothing,
    examples: [{ name: 'ten blocks, a minute apart', params: ['0xa', '0x3c'], result: null }],
    handler: async ([blocks = 1, interval = 0], dev, { chain }, { signal }) => {
      assertReachable(chain.head().time + blocks * interval, 'parameter 2 (interval)')
      await mineBlocks(dev, blocks, interval, signal)
    },
  }),
  ...devMethod({
    names: ['hardhat_mine'],
    summary: 'Makes blocks as anvil_mine does, the first of them at the time of any block, as Hardhat does.',
    work: 'write',
    params: [count, optionalParam('interval', DevInteger, 'The seconds between them.')],
    result: nothing,
    examples: [{ name: 'ten blocks, a minute apart', params: ['0xa', '0x3c'], result: null }],
    handler: async ([blocks = 1, interval = 0], dev, { chain }, { signal }) => {
      assertReachable(chain.head().time + blocks * interval, 'parameter 2 (interval)')
      await mineBlocks(dev, blocks, interval, signal, 'between')
    },
  }),
  ...devMethod({
    names: ['evm_mine'],
    summary: 'Makes one block or more, and gives 0x0 as other clients do.',
    work: 'write',
    params: [optionalParam('options', MineOptions, 'The time of the first block, and how many are made.')],
    result: { name: 'nothing', type: Text },
    examples: [{ name: 'one block', params: [], result: '0x0' }],
    handler: async ([options], dev, { chain }, { signal }) => {
      await mineWith(dev, chain, options, signal)
      return '0x0'
    },
  }),
  ...devMethod({
    names: ['anvil_mine_detailed', 'evm_mine_detailed'],
    summary: 'Makes blocks as evm_mine does, and gives them with the output of each transaction.',
    work: 'trace',
    params: [optionalParam('options', MineOptions, 'The time of the first block, and how many are made.')],
    result: { name: 'blocks', type: plainType(z.array(describedObject('A block').schema)) },
    examples: [],
    handler: async ([options], dev, { chain }, { signal }) => {
      const first = chain.head().number + 1
      await mineWith(dev, chain, options, signal)
      const blocks: Record<string, unknown>[] = []
      for (let number = first; number <= chain.head().number; number++)
        blocks.push(await readDetailedBlock(chain, number, signal))
      return blocks
    },
  }),
  ...devMethod({
    names: ['hardhat_intervalMine'],
    summary: 'Makes a block, as the interval would.',
    work: 'write',
    params: [],
    result: { name: 'made', type: Done },
    examples: [{ name: 'one block', params: [], result: true }],
    handler: (_args, dev, _context, { signal }) => mineBlocks(dev, 1, undefined, signal),
  }),
  ...devMethod({
    names: ['anvil_getAutomine', 'hardhat_getAutomine'],
    summary: 'Tells whether each transaction gets a block at once.',
    params: [],
    result: { name: 'automine', type: Flag },
    examples: [{ name: 'it does', params: [], result: true }],
    handler: (_, dev) => dev.miningMode().kind === 'auto',
  }),
  ...devMethod({
    names: ['anvil_setAutomine', 'evm_setAutomine'],
    summary: 'Turns on or off that each transaction gets a block at once.',
    work: 'write',
    params: [param('enabled', Flag, 'Whether it does.')],
    result: nothing,
    examples: [{ name: 'only on request', params: [false], result: null }],
    handler: async ([isOn], dev) => {
      const { kind } = dev.miningMode()
      if (isOn) await dev.setMiningMode({ kind: 'auto' })
      else if (kind === 'auto') await dev.setMiningMode({ kind: 'manual' })
    },
  }),
  ...devMethod({
    names: ['anvil_setIntervalMining', 'evm_setIntervalMining'],
    summary: 'Makes a block at each interval from now on; 0 makes none but on request.',
    work: 'write',
    params: [
      param('seconds', DevSeconds, 'The interval in seconds, as in anvil (Hardhat counts milliseconds).'),
    ],
    result: nothing,
    examples: [{ name: 'every twelve seconds', params: [12], result: null }],
    handler: async ([seconds], dev) => {
      if (seconds > maxIntervalSeconds)
        throw invalidParams(`parameter 1 (seconds): expected at most ${maxIntervalSeconds}`)
      await dev.setMiningMode(
        seconds === 0 ? { kind: 'manual' } : { kind: 'interval', milliseconds: 1000 * seconds },
      )
    },
  }),
  ...devMethod({
    names: ['anvil_getIntervalMining'],
    summary: 'Gives the interval between blocks in seconds; null where there is none.',
    params: [],
    result: { name: 'seconds', type: PlainNumberOrNull },
    examples: [{ name: 'none', params: [], result: null }],
    handler: (_, dev) => {
      const mode = dev.miningMode()
      return mode.kind === 'interval' ? mode.milliseconds / 1000 : null
    },
  }),
  ...devMethod({
    names: ['anvil_setNextBlockBaseFeePerGas', 'hardhat_setNextBlockBaseFeePerGas'],
    summary: 'Sets the base fee of the next block; those after it follow from it.',
    work: 'write',
    params: [param('baseFee', DevNumber, 'Wei per unit of gas.')],
    result: nothing,
    examples: [{ name: '1 gwei', params: ['0x3b9aca00'], result: null }],
    handler: async ([baseFee], dev, { chain }) => {
      if (!isLondon(chain))
        throw unsupported('blocks have a base fee from London on, and this chain is before it')
      if (baseFee > maxUint64) throw invalidParams('parameter 1 (baseFee): expected at most 64 bits')
      await dev.setNextBlock({ baseFee })
    },
  }),
  ...['anvil_setMinGasPrice', 'hardhat_setMinGasPrice'].flatMap((name) =>
    devMethod({
      names: [name],
      summary: 'Not supported from London on: the base fee says what a transaction must pay.',
      params: [param('gasPrice', DevNumber, 'Wei per unit of gas.')],
      result: nothing,
      examples: [],
      handler: (_args, _dev, { chain }) => {
        throw isLondon(chain)
          ? invalidParams(`${name} is not supported when EIP-1559 is active`)
          : unsupported('the least gas price is a setting of the start: --minimum-gas-prices')
      },
    }),
  ),
  ...devMethod({
    names: ['anvil_setNextBlockPrevRandao', 'hardhat_setPrevRandao'],
    summary: 'Sets what PREVRANDAO gives in the next block.',
    work: 'write',
    params: [param('prevRandao', Bytes32, 'The value.')],
    result: nothing,
    examples: [{ name: 'zero', params: [`0x${'00'.repeat(32)}`], result: null }],
    handler: ([prevRandao], dev) => dev.setNextBlock({ prevRandao }),
  }),
  ...devMethod({
    names: ['anvil_setBlockGasLimit', 'evm_setBlockGasLimit'],
    summary: 'Sets the gas limit of the next block and of those after it.',
    work: 'write',
    params: [param('gasLimit', DevUint64, 'Units of gas.')],
    result: { name: 'set', type: Done },
    examples: [{ name: '30 million', params: ['0x1c9c380'], result: true }],
    handler: async ([gasLimit], dev) => {
      if (gasLimit > maxGasLimit)
        throw invalidParams(`parameter 1 (gasLimit): expected at most ${maxGasLimit}`)
      if (gasLimit < leastBlockGas && dev.isKept)
        throw unsupported(
          `a chain that is kept has blocks of ${leastBlockGas} gas at least, which other clients expect`,
        )
      await dev.setNextBlock({ gasLimit })
    },
  }),
  ...devMethod({
    names: ['anvil_setCoinbase', 'hardhat_setCoinbase'],
    summary: 'Sets the address that receives the tips of later blocks, until the node restarts.',
    work: 'write',
    params: [param('address', Address, 'Where tips go.')],
    result: nothing,
    examples: [{ name: 'set', params: [coinbase], result: null }],
    handler: ([address], _dev, { chain }) => chain.control.setCoinbase(address),
  }),
]

/** A timer cannot wait longer than this. */
const maxIntervalSeconds = 2_147_483
export const maxGasLimit = 2n ** 63n - 1n
