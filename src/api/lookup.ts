import type { MaybePromise } from '../base/maybePromise.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type { PendingBlock } from '../chain/port/blocks.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { StateView } from '../chain/port/state.ts'
import { unavailable } from '../rpc/errors.ts'
import { RawJson } from '../rpc/json.ts'

export const latest: BlockRef = { kind: 'tag', tag: 'latest' }

export const byHash = (hash: Uint8Array): BlockRef => ({ kind: 'hash', hash, requireCanonical: false })

/** The height at which the chain begins, as far as it is served: only chains of our own have a block 0. */
export const firstNumber = ({ blocks }: Chain): number => {
  const number = blocks.resolve({ kind: 'tag', tag: 'earliest' })
  return typeof number === 'number' ? number : 0
}

/** Goes on at once where the value is there, so that a cheap call never waits for the next turn of the loop. */
export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => R): R | Promise<Awaited<R>> =>
  value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value)

/** What is asked of the state of a block, latest where none is named. */
export const readState = <R>(
  chain: Chain,
  block: BlockRef | undefined,
  read: (state: StateView) => MaybePromise<R>,
): MaybePromise<R> => andThen(chain.state(block ?? latest), read) as MaybePromise<R>

/** What is asked of a block, of one in the chain or of the pending one; null where there is none. */
export const readBlock = <R>(
  chain: Chain,
  ref: BlockRef,
  ofMined: (number: number) => R | undefined,
  ofPending: (block: PendingBlock) => R | undefined,
): MaybePromise<R | null> => {
  const { blocks } = chain
  const found = blocks.resolve(ref)
  if (found === undefined) return null
  if (found === 'pending') return blocks.pending().then((block) => ofPending(block) ?? null)
  return ofMined(found) ?? ifNotPruned(chain, found) ?? null
}

/** Throws where there is a block of this number of which not everything is kept. */
export const ifNotPruned = (chain: Chain, number: number): undefined => {
  const { oldestBlock } = chain.retention()
  if (number > 0 && number < oldestBlock)
    throw unavailable(`block ${number} is pruned: the earliest that is kept is ${oldestBlock}`)
}

/** JSON as it is stored or as an encoder wrote it. */
export const asJson = (bytes: Uint8Array | undefined): RawJson | undefined =>
  bytes === undefined ? undefined : new RawJson(bytes)

export const textAsJson = (text: string): RawJson => new RawJson(Buffer.from(text))

/** No block comes near it; what is larger has nothing at its place. */
const largestIndex = 0x7fff_ffffn

/** A position in a block as a number that the store can look for. */
export const toIndex = (index: bigint): number => Number(index < largestIndex ? index : largestIndex)
