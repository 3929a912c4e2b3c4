import { z } from 'zod'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { TimeSlice } from '../../base/threads/timeSlice.ts'
import type { ClientConfig, ForkConfig } from '../../chain/config/clientConfig.ts'
import type { Head, Retention } from '../../chain/port/chain.ts'
import type { FeeHistory } from '../../chain/port/fees.ts'
import { callFailed } from '../../rpc/errors.ts'
import { limitedList } from '../../rpc/limitedTypes.ts'
import { RawJson } from '../../rpc/rawJson.ts'
import { inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { addressText, hashText } from './data.ts'
import { quantityText, uint64Text, wholeNumber } from './quantity.ts'

const countWanted = 'a count of blocks: a QUANTITY or a whole number'

/** The number of blocks, which clients send as QUANTITY or as a number. */
export const BlockCount: WireType<number> = inputType(
  z
    .union([uint64Text, wholeNumber(0, Number.MAX_SAFE_INTEGER, countWanted)], {
      error: `expected ${countWanted}`,
    })
    .meta({ title: 'block count', description: countWanted })
    .transform(Number),
)

const percentilesWanted = 'rising percentiles from 0 to 100'

/** The maximum number of percentiles of one call, as in geth. */
const maxPercentiles = 100

const percentilesError = `expected ${percentilesWanted}`

export const Percentiles: WireType<readonly number[]> = inputType(
  limitedList(z.number({ error: percentilesError }), {
    max: maxPercentiles,
    error: percentilesError,
    tooMany: () => callFailed(`invalid reward percentile: over the query limit ${maxPercentiles}`),
  }).meta({ title: 'percentiles', description: percentilesWanted }),
)

const history = z
  .object({
    oldestBlock: uint64Text,
    baseFeePerGas: z
      .array(quantityText)
      .describe('One more than there are blocks: the last is of the next one'),
    gasUsedRatio: z.array(z.number()),
    baseFeePerBlobGas: z.array(quantityText).describe('One more than there are blocks'),
    blobGasUsedRatio: z.array(z.number()),
    reward: z.array(z.array(quantityText)).optional().describe('Tips at the requested percentiles'),
  })
  .meta({ id: 'FeeHistory', title: 'fee history' })

export const FeeHistoryResult = plainType(history)

/** Returns the JSON of a fee history. It may have 100,000 tips, which are written in slices. */
export const toFeeHistoryJson = async (given: FeeHistory): Promise<RawJson> => {
  const slice = TimeSlice.inTurn()
  const rows: string[] = []
  for (const tips of given.rewards ?? []) {
    if (slice.isOver) await slice.next()
    rows.push(JSON.stringify(tips.map(toQuantity)))
  }
  const others: Omit<z.output<typeof history>, 'oldestBlock' | 'reward'> = {
    baseFeePerGas: given.baseFees.map(toQuantity),
    gasUsedRatio: [...given.gasUsedRatios],
    baseFeePerBlobGas: given.blobBaseFees.map(toQuantity),
    blobGasUsedRatio: [...given.blobGasUsedRatios],
  }
  const reward = given.rewards === undefined ? '' : `"reward":[${rows.join(',')}],`
  const text = `{"oldestBlock":"${toQuantity(given.oldest)}",${reward}${JSON.stringify(others).slice(1)}`
  return new RawJson(Buffer.from(text))
}

const forkConfig = z
  .object({
    activationTime: z.int().describe('Seconds since 1970; 0 from the genesis block on'),
    blobSchedule: z
      .object({ target: z.int(), max: z.int(), baseFeeUpdateFraction: z.int() })
      .nullable()
      .describe('null before blobs'),
    chainId: quantityText,
    forkId: z.string(),
    precompiles: z.record(z.string(), addressText),
    systemContracts: z.record(z.string(), addressText),
  })
  .meta({ id: 'ForkConfig', title: 'fork configuration', description: 'EIP-7910' })

export const ClientConfigResult = plainType(
  z
    .object({ current: forkConfig, next: forkConfig.nullable(), last: forkConfig.nullable() })
    .meta({ id: 'ClientConfig', title: 'configuration' }),
)

const toForkResult = (chainId: bigint, fork: ForkConfig) => ({
  activationTime: Number(fork.activationTime),
  blobSchedule: fork.blobs
    ? { ...fork.blobs, baseFeeUpdateFraction: Number(fork.blobs.baseFeeUpdateFraction) }
    : null,
  chainId: toQuantity(chainId),
  forkId: toHex(fork.forkId),
  precompiles: Object.fromEntries(
    fork.precompiles.map(([name, address]) => [name, `0x${address.toString(16).padStart(40, '0')}`]),
  ),
  systemContracts: Object.fromEntries(fork.systemContracts.map(([name, address]) => [name, toHex(address)])),
})

export const toClientConfigResult = (chainId: bigint, { current, next, last }: ClientConfig) => ({
  current: toForkResult(chainId, current),
  next: next ? toForkResult(chainId, next) : null,
  last: last ? toForkResult(chainId, last) : null,
})

const retentionResult = z.object({
  disabled: z.boolean(),
  oldestBlock: uint64Text,
  deleteStrategy: z.object({ type: z.string(), retentionBlocks: uint64Text }).optional(),
})

export const Capabilities = plainType(
  z
    .object({
      head: z.object({ number: uint64Text, hash: hashText }),
      state: retentionResult,
      tx: retentionResult,
      logs: retentionResult,
      receipts: retentionResult,
      blocks: retentionResult,
      stateproofs: retentionResult,
    })
    .meta({ id: 'Capabilities', title: 'what is kept' }),
)

const toRetention = (oldest: number, retained: number | undefined) => ({
  disabled: false,
  oldestBlock: toQuantity(oldest),
  ...(retained === undefined
    ? {}
    : { deleteStrategy: { type: 'window', retentionBlocks: toQuantity(retained) } }),
})

export const toCapabilities = (
  { number, hash }: Head,
  { oldestState, retainedStates, oldestBlock, retainedBlocks }: Retention,
) => {
  const blocks = toRetention(oldestBlock, retainedBlocks)
  const states = toRetention(oldestState, retainedStates)
  return {
    head: { number: toQuantity(number), hash: toHex(hash) },
    state: states,
    tx: blocks,
    logs: blocks,
    receipts: blocks,
    blocks,
    stateproofs: states,
  }
}
