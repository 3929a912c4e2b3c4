import type { Header } from '../block/header.ts'
import type { BlockRef } from './blockRef.ts'
import type { TransactionLocation } from './location.ts'

/** The stored blocks as JSON and RLP bytes. Methods return undefined if there is no such block or item. */
export interface BlockReader {
  /** Returns the number of a block, `pending` for that tag, and undefined for a block that does not exist. */
  resolve(ref: BlockRef): number | 'pending' | undefined
  blockJson(number: number, isFull: boolean): Uint8Array | undefined
  headerJson(number: number): Uint8Array | undefined
  header(number: number): Header | undefined
  hash(number: number): Uint8Array | undefined
  transactionCount(number: number): number | undefined
  locate(transactionHash: Uint8Array): TransactionLocation | undefined
  locateBySender(sender: Uint8Array, nonce: bigint): TransactionLocation | undefined
  transactionJson(location: TransactionLocation): Uint8Array | undefined
  receiptJson(location: TransactionLocation): Uint8Array | undefined
  receiptsJson(number: number): Uint8Array | undefined
  ommerCount(number: number): number | undefined
  ommerJson(number: number, index: number): Uint8Array | undefined
  headerRlp(number: number): Uint8Array | undefined
  blockRlp(number: number): Uint8Array | undefined
  transactionRlp(location: TransactionLocation): Uint8Array | undefined
  receiptsRlp(number: number): readonly Uint8Array[] | undefined
  /** Returns the block that would be produced now from the head and the pool. */
  pending(): Promise<PendingBlock>
}

/** The pending block; `hash`, `nonce` and `miner` are null in its JSON. */
export interface PendingBlock {
  readonly transactionCount: number
  blockJson(isFull: boolean): Uint8Array
  headerJson(): Uint8Array
  transactionJson(index: number): Uint8Array | undefined
  transactionRlp(index: number): Uint8Array | undefined
  receiptsJson(): Uint8Array
}
