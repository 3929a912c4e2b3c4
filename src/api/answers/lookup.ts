import type { MaybePromise } from '../../base/async/maybePromise.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { PendingBlock } from '../../chain/port/blocks.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { Pool, PoolTransaction } from '../../chain/port/pool.ts'
import type { StateView } from '../../chain/port/state.ts'
import { unavailable } from '../../rpc/errors.ts'
import { RawJson } from '../../rpc/rawJson.ts'

export const latest: BlockRef = { kind: 'tag', tag: 'latest' }

export const toHashRef = (hash: Uint8Array): BlockRef => ({ kind: 'hash', hash, requireCanonical: false })

/** Returns the number of the first block of the chain that is known by its header. Only Perihelion chains have a block 0. */
export const firstNumber = ({ blocks }: Chain): number => {
  for (const number of [0, 1]) if (blocks.header(number) !== undefined) return number
  const earliest = blocks.resolve({ kind: 'tag', tag: 'earliest' })
  return typeof earliest === 'number' ? earliest : 0
}

/** Applies `next` at once if the value is available, so that a cheap call does not wait for the event loop. */
export const mapMaybePromise = <T, R>(
  value: MaybePromise<T>,
  next: (value: T) => R,
): R | Promise<Awaited<R>> =>
  value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value)

/** Finds a transaction that waits, also one that another process has just taken. */
export const findInPool = (pool: Pool, hash: Uint8Array): MaybePromise<PoolTransaction | undefined> =>
  pool.get(hash) ?? pool.catchUp?.().then(() => pool.get(hash))

/** Reads from the state of a block; of the latest block if none is given. */
export const readState = <R>(
  chain: Chain,
  block: BlockRef | undefined,
  read: (state: StateView) => MaybePromise<R>,
): MaybePromise<R> => mapMaybePromise(chain.state(block ?? latest), read) as MaybePromise<R>

/** Reads from a mined block or from the pending block; returns null if there is no such block. */
export const readBlock = <R>(
  chain: Chain,
  ref: BlockRef,
  readMined: (number: number) => R | undefined,
  readPending: (block: PendingBlock) => R | undefined,
): MaybePromise<R | null> => {
  const { blocks } = chain
  const found = blocks.resolve(ref)
  if (found === undefined) return null
  if (found === 'pending') return blocks.pending().then((block) => readPending(block) ?? null)
  return readMined(found) ?? assertNotPruned(chain, found) ?? null
}

/** Throws if the block of this number is pruned. */
export const assertNotPruned = (chain: Chain, number: number): undefined => {
  const { oldestBlock } = chain.retention()
  if (number > 0 && number < oldestBlock)
    throw unavailable(`block ${number} is pruned: the earliest that is kept is ${oldestBlock}`)
}

/** Returns bytes that are JSON already as a result. */
export const asJson = (bytes: Uint8Array | undefined): RawJson | undefined =>
  bytes === undefined ? undefined : new RawJson(bytes)

export const textAsJson = (text: string): RawJson => new RawJson(Buffer.from(text))

/** An index that no block reaches; larger ones are reduced to it. */
const maxIndex = 0x7fff_ffffn

/** Converts an index in a block to a number that the store can look up. */
export const toIndex = (index: bigint): number => Number(index < maxIndex ? index : maxIndex)
