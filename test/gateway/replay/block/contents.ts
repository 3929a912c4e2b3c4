import { concatBytes } from '../../../../src/base/encoding/bytes.ts'
import type { Random } from '../../../support/random.ts'
import type { Traits } from '../families.ts'
import { calls } from '../model.ts'
import { authorize, type Key, type SignedTransaction, sign, type UnsignedTransaction } from './signing.ts'

/** What the blocks of a synthetic chain are filled with. */

export type Entry =
  /** `several` messages in one transaction where the family has that. */
  | { readonly kind: 'ethereum'; readonly transactions: readonly SignedTransaction[] }
  /** It could not pay at delivery, and is in the block nevertheless. */
  | { readonly kind: 'ante'; readonly transactions: readonly SignedTransaction[] }
  /** It paid, and then the block had no gas left. */
  | { readonly kind: 'block gas'; readonly transactions: readonly SignedTransaction[] }
  /** The block had no gas left when its turn came. */
  | { readonly kind: 'no gas left'; readonly transactions: readonly SignedTransaction[] }
  | { readonly kind: 'cosmos'; readonly fails: boolean; readonly convertsTokens: boolean }
  /** Bytes that are not a transaction, as vote extensions are. */
  | { readonly kind: 'junk'; readonly bytes: Uint8Array }

export interface Author {
  readonly key: Key
  nonce: bigint
}

export interface ContentContext {
  readonly random: Random
  readonly traits: Traits
  readonly authors: readonly Author[]
  /** Contracts that exist at the beginning of the block. */
  readonly contracts: readonly Uint8Array[]
  readonly baseFee: bigint
}

/** Mostly Ethereum transactions; each other kind now and then. */
const variedEntry = (scene: ContentContext): Entry => {
  const { random, traits } = scene
  const roll = random.below(20)
  const native = traits.family !== 'perihelion'
  if (roll === 0 && native)
    return { kind: 'cosmos', fails: random.chance(0.4), convertsTokens: random.chance(0.4) }
  if (roll === 1) return { kind: 'junk', bytes: random.bytes(1 + random.below(60)) }
  if (roll === 2) return { kind: 'ante', transactions: [variedTransaction(scene, false)] }
  const several = traits.severalMessages && roll < 6 ? 2 + random.below(2) : 1
  return {
    kind: 'ethereum',
    transactions: Array.from({ length: several }, () => variedTransaction(scene, true)),
  }
}

/** `used`: whether the sender's nonce is used up by it. */
const variedTransaction = (scene: ContentContext, used: boolean): SignedTransaction => {
  const { random, traits, baseFee } = scene
  const author = random.pick(scene.authors)
  const type = random.pick(traits.inParts ? ([0, 1, 2] as const) : ([0, 1, 2, 4] as const))
  const to = type !== 4 && random.chance(0.15) ? undefined : target(scene)
  const tip = random.integer(32)
  const fee = baseFee + tip + random.integer(32)
  const isBare = type === 0 && random.chance(0.1)
  const tx: UnsignedTransaction = {
    type,
    chainId: isBare ? undefined : traits.chainId,
    nonce: author.nonce,
    gasLimit: BigInt(100_000 + random.below(300_000)),
    gasPrice: type < 2 ? fee : 0n,
    maxFeePerGas: type < 2 ? 0n : fee,
    maxPriorityFeePerGas: type < 2 ? 0n : tip,
    to,
    value: random.chance(0.5) ? random.integer(60) : 0n,
    data: callData(random),
    accessList:
      type === 0 || random.chance(0.4)
        ? []
        : Array.from({ length: 1 + random.below(2) }, () => ({
            address: random.bytes(20),
            keys: Array.from({ length: random.below(3) }, () => random.bytes(32)),
          })),
    authorizations:
      type === 4 ? [authorize(traits.chainId, random.bytes(20), random.integer(16), author.key)] : [],
  }
  if (used) author.nonce++
  return sign(tx, author.key)
}

const target = ({ random, contracts }: ContentContext): Uint8Array =>
  contracts.length > 0 && random.chance(0.6) ? random.pick(contracts) : random.bytes(20)

const callData = (random: Random): Uint8Array => {
  const rest = random.bytes(random.below(100))
  switch (random.below(8)) {
    case 0:
      return Uint8Array.of()
    case 1:
      return Uint8Array.of(calls.revert, ...rest)
    case 2:
      return Uint8Array.of(random.pick([calls.invalid, calls.outOfGas]), ...rest)
    default:
      return Uint8Array.of(1 + random.below(100), ...rest)
  }
}

/** The length of the data of a transfer of tokens. */
const transferBytes = 68

/** Two logs each, from one contract: what a busy token does. */
const busyTransaction = (
  { random, traits, authors, contracts, baseFee }: ContentContext,
  bytes = transferBytes,
): SignedTransaction => {
  const author = random.pick(authors)
  const tx: UnsignedTransaction = {
    type: 2,
    chainId: traits.chainId,
    nonce: author.nonce++,
    gasLimit: 60_000n,
    gasPrice: 0n,
    maxFeePerGas: baseFee * 2n + 10n ** 9n,
    maxPriorityFeePerGas: 10n ** 9n,
    to: random.pick(contracts),
    value: 0n,
    data: concatBytes(Uint8Array.of(2), random.bytes(bytes - 1)),
    accessList: [],
    authorizations: [],
  }
  return sign(tx, author.key)
}

export type Content =
  | 'varied'
  | 'empty'
  /** `bytes`: how long the data of each is; as that of a transfer of tokens by default. */
  | { readonly transactions: number; readonly bytes?: number | undefined }

export const entriesOf = (content: Content, scene: ContentContext): Entry[] => {
  const { random, traits } = scene
  if (content === 'empty') return []
  if (content !== 'varied')
    return Array.from({ length: content.transactions }, () => ({
      kind: 'ethereum',
      transactions: [busyTransaction(scene, content.bytes)],
    }))
  const entries = Array.from({ length: random.below(8) }, () => variedEntry(scene))
  if (!traits.meteredBlocks || !random.chance(0.15)) return entries
  entries.push({ kind: 'block gas', transactions: [variedTransaction(scene, true)] })
  if (random.chance(0.6))
    entries.push({ kind: 'no gas left', transactions: [variedTransaction(scene, false)] })
  return entries
}
