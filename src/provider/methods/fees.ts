import { equalBytes } from '../../base/encoding/bytes.ts'
import { toQuantity } from '../../base/encoding/hex.ts'
import type { Header } from '../../chain/block/header.ts'
import { emptyTrieRoot } from '../../chain/block/trieRoot.ts'
import { blobParametersAt, type ChainConfig, forkAt, forkOfHeader } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import { nextBaseFee } from '../../chain/fees/baseFee.ts'
import { blobBaseFee, gasPerBlob, nextExcessBlobGas } from '../../chain/fees/blobGas.ts'
import { maxBlocksSampled, type PaidTip, paidTips, TipSample, tipPercentiles } from '../../chain/fees/tips.ts'
import type { Session } from '../chain.ts'
import { codes, LightError } from '../lightError.ts'
import type { ProvenHeader } from '../proving/answers.ts'
import { readReceipts } from './blocks.ts'
import type { LightMethods } from './method.ts'
import { blockAt, listOf, quantityAt } from './params.ts'

const maxHistory = 1024
const maxPercentiles = 100
/** What is suggested where recent blocks paid no tip, as nodes do it. */
const defaultTip = 1_000_000_000n

const tipsOf = async (session: Session, header: ProvenHeader): Promise<readonly PaidTip[]> => {
  const { transactionsRoot, baseFeePerGas = 0n } = header.header
  if (equalBytes(transactionsRoot, emptyTrieRoot)) return []
  const receipts = await readReceipts(session, await session.block(header))
  return paidTips(receipts, baseFeePerGas)
}

/** Returns a tip as nodes suggest it, from proven receipts; a price below which a node takes nothing is its own. */
export const suggestTip = async (session: Session): Promise<bigint> => {
  const { chain, endpoint, head } = session
  if (head.number < 1) return defaultTip
  const from = Math.max(1, head.number - maxBlocksSampled + 1)
  const headers = await chain.headers.range(endpoint, head, from, head.number)
  const sample = new TipSample(defaultTip)
  for (const header of headers.toReversed()) {
    if (sample.isFull) break
    sample.add(await tipsOf(session, header))
  }
  return sample.tip
}

export const baseFeeAfter = (config: ChainConfig, header: Header): bigint | undefined =>
  since(forkAt(config, header.number + 1n, header.timestamp), 'london') ? nextBaseFee(header) : undefined

const blobBaseFeeOf = (config: ChainConfig, { excessBlobGas, timestamp }: Header): bigint => {
  const parameters = blobParametersAt(config, timestamp)
  return excessBlobGas === undefined || parameters === undefined ? 0n : blobBaseFee(excessBlobGas, parameters)
}

const blobBaseFeeAfter = (config: ChainConfig, header: Header): bigint => {
  const parameters = blobParametersAt(config, header.timestamp)
  if (header.excessBlobGas === undefined || parameters === undefined) return 0n
  return blobBaseFee(nextExcessBlobGas(header, forkOfHeader(config, header), parameters), parameters)
}

const ratio = (part: bigint, whole: bigint): number => (whole === 0n ? 0 : Number(part) / Number(whole))

const percentilesOf = (given: unknown): readonly number[] | undefined => {
  if (given === undefined || given === null) return undefined
  const percentiles = listOf(given, 2, maxPercentiles) as readonly number[] // checked below
  for (const [index, percentile] of percentiles.entries()) {
    if (typeof percentile !== 'number' || !(percentile >= 0 && percentile <= 100))
      throw new LightError(codes.failed, `invalid reward percentile: ${Number(percentile).toFixed(6)}`)
    const before = percentiles[index - 1]
    if (before !== undefined && percentile <= before)
      throw new LightError(
        codes.failed,
        `invalid reward percentile: #${index - 1}:${before.toFixed(6)} >= #${index}:${percentile.toFixed(6)}`,
      )
  }
  return percentiles
}

const feeHistory = async (session: Session, params: readonly unknown[]): Promise<unknown> => {
  const { chain, endpoint, head } = session
  const count = Math.min(quantityAt(params, 0), maxHistory)
  const percentiles = percentilesOf(params[2])
  const newest = blockAt(params, 1)
  if ('number' in newest && typeof newest.number === 'number' && newest.number > head.number)
    throw new LightError(
      codes.failed,
      `request beyond head block: requested ${newest.number}, head ${head.number}`,
    )
  const last = await session.header(newest)
  const config = await session.config()
  const end = Number(last.header.number)
  const proven = count < 1 ? [] : await chain.headers.range(endpoint, head, Math.max(0, end - count + 1), end)
  const headers = proven.map(({ header }) => header)
  const rewards: string[][] = []
  if (percentiles !== undefined)
    for (const one of proven)
      rewards.push(
        tipPercentiles(await tipsOf(session, one), one.header.gasUsed, percentiles).map(toQuantity),
      )
  const following = headers.length === 0 ? [] : [last.header]
  return {
    oldestBlock: toQuantity(headers[0]?.number ?? 0n),
    ...(percentiles === undefined ? {} : { reward: rewards }),
    baseFeePerGas: [
      ...headers.map(({ baseFeePerGas = 0n }) => toQuantity(baseFeePerGas)),
      ...following.map((header) => toQuantity(baseFeeAfter(config, header) ?? 0n)),
    ],
    gasUsedRatio: headers.map(({ gasUsed, gasLimit }) => ratio(gasUsed, gasLimit)),
    baseFeePerBlobGas: [
      ...headers.map((header) => toQuantity(blobBaseFeeOf(config, header))),
      ...following.map((header) => toQuantity(blobBaseFeeAfter(config, header))),
    ],
    blobGasUsedRatio: headers.map(({ blobGasUsed = 0n, timestamp }) =>
      ratio(blobGasUsed, BigInt(blobParametersAt(config, timestamp)?.max ?? 0) * gasPerBlob),
    ),
  }
}

export const feeMethods: LightMethods = {
  eth_gasPrice: async (session) =>
    toQuantity((await suggestTip(session)) + (session.head.header.baseFeePerGas ?? 0n)),
  eth_maxPriorityFeePerGas: async (session) => toQuantity(await suggestTip(session)),
  eth_baseFee: async (session) => toQuantity(baseFeeAfter(await session.config(), session.head.header) ?? 0n),
  eth_blobBaseFee: async (session) => toQuantity(blobBaseFeeOf(await session.config(), session.head.header)),
  eth_feeHistory: feeHistory,
}
