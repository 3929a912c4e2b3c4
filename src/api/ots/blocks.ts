import type { MaybePromise } from '../../base/async/maybePromise.ts'
import { fromHex, toQuantity } from '../../base/encoding/hex.ts'
import { blockRewards } from '../../chain/block/blockRewards.ts'
import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { assertNotPruned, mapMaybePromise } from '../answers/lookup.ts'
import { type JsonMembers, parseRow } from './json.ts'
import { totalDifficulty } from './totalDifficulty.ts'

/** Returns the number of a block that is kept; undefined if there is none, or if it is pending. */
const numberOf = (chain: Chain, ref: BlockRef): number | undefined => {
  const number = chain.blocks.resolve(ref)
  if (typeof number !== 'number') return undefined
  assertNotPruned(chain, number)
  return number
}

/** Returns a block without its transactions and its bloom, as Otterscan wants it; it fails without a total difficulty. */
const slimBlock = ({ blocks }: Chain, number: number, total: bigint): JsonMembers | undefined => {
  const text = blocks.blockJson(number, false)
  if (text === undefined) return undefined
  const { transactions: _, ...block } = parseRow(text)
  return {
    ...block,
    logsBloom: null,
    totalDifficulty: toQuantity(total),
    transactionCount: blocks.transactionCount(number) ?? 0,
  }
}

interface StoredReceipt {
  readonly gasUsed: string
  readonly effectiveGasPrice: string
}

const totalFees = ({ blocks }: Chain, number: number): bigint => {
  const text = blocks.receiptsJson(number)
  if (text === undefined) return 0n
  const receipts = JSON.parse(Buffer.from(text).toString()) as readonly StoredReceipt[] // written by the store
  return receipts.reduce(
    (sum, { gasUsed, effectiveGasPrice }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
    0n,
  )
}

/** Returns what proof of work paid for a block; blocks of an engine have no difficulty and pay nothing. */
const issuanceOf = ({ blocks, config }: Chain, number: number) => {
  const header = blocks.header(number)
  const ommers = Array.from({ length: blocks.ommerCount(number) ?? 0 }, (_, index) => {
    const { number: height, miner } = parseRow(blocks.ommerJson(number, index) ?? emptyObject)
    return { number: BigInt(String(height)), beneficiary: fromHex(String(miner)) }
  })
  const rewards =
    header === undefined || header.difficulty === 0n
      ? []
      : blockRewards(forkOfHeader(config, header), header, ommers)
  const sum = (parts: readonly { readonly amount: bigint }[]): bigint =>
    parts.reduce((total, { amount }) => total + amount, 0n)
  return {
    blockReward: toQuantity(sum(rewards.slice(-1))),
    uncleReward: toQuantity(sum(rewards.slice(0, -1))),
    issuance: toQuantity(sum(rewards)),
  }
}

const emptyObject = Buffer.from('{}')

/** Reads a block that is kept, together with what it is shown with; null if there is none. */
const readSlim = <R>(
  chain: Chain,
  ref: BlockRef,
  signal: AbortSignal,
  read: (number: number, block: JsonMembers) => R,
): MaybePromise<R | null> => {
  const number = numberOf(chain, ref)
  if (number === undefined) return null
  // First, because it may take a while: the rest is read in one turn.
  return mapMaybePromise(totalDifficulty(chain.blocks, number, signal), (total) => {
    const block = slimBlock(chain, number, total)
    return block === undefined ? null : read(number, block)
  }) as MaybePromise<R | null>
}

export const readBlockDetails = (chain: Chain, ref: BlockRef, signal: AbortSignal) =>
  readSlim(chain, ref, signal, (number, block) => ({
    block,
    issuance: issuanceOf(chain, number),
    totalFees: toQuantity(totalFees(chain, number)),
  }))

/** The length of 0x and the four bytes that select a function. */
const selectorLength = 10

/** Returns one page of a block's transactions. Page 0 has the last ones of the block, each page in the block's order. */
export const readBlockPage = (
  chain: Chain,
  ref: BlockRef,
  { page, size }: { readonly page: number; readonly size: number },
  signal: AbortSignal,
) =>
  readSlim(chain, ref, signal, (number, block) => {
    const { blocks } = chain
    const end = Math.max(0, (blocks.transactionCount(number) ?? 0) - page * size)
    const transactions: JsonMembers[] = []
    const receipts: JsonMembers[] = []
    for (let index = Math.max(0, end - size); index < end; index++) {
      const [transaction, receipt] = [
        blocks.transactionJson({ number, index }),
        blocks.receiptJson({ number, index }),
      ]
      if (transaction === undefined || receipt === undefined) continue
      const fields = parseRow(transaction)
      transactions.push({ ...fields, input: String(fields.input).slice(0, selectorLength) })
      receipts.push({ ...parseRow(receipt), logs: null, logsBloom: null })
    }
    return { fullblock: { ...block, transactions }, receipts }
  })
