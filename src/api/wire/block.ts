import { z } from 'zod'
import { fromHex } from '../../base/hex.ts'
import { incoming, type Wire } from '../../rpc/wire.ts'
import { hashText } from './data.ts'
import { uint64Text } from './quantity.ts'

export const blockTags = ['earliest', 'latest', 'pending', 'safe', 'finalized'] as const

export type BlockTag = (typeof blockTags)[number]

/** A block by its height or by the name of a height. */
export type BlockHeight =
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'tag'; readonly tag: BlockTag }

/** Any way in which a client may name a block (EIP-1898). */
export type BlockRef =
  | BlockHeight
  | { readonly kind: 'hash'; readonly hash: Uint8Array; readonly requireCanonical: boolean }

const height = (number: string): BlockHeight => ({ kind: 'number', number: BigInt(number) })

const byHash = (hash: string, requireCanonical: boolean): BlockRef => ({
  kind: 'hash',
  hash: fromHex(hash),
  requireCanonical,
})

const tagSchema = z.enum(blockTags).meta({
  id: 'BlockTag',
  title: 'block tag',
  description: 'safe and finalized equal latest: blocks are final',
})
const byTag = tagSchema.transform((tag): BlockHeight => ({ kind: 'tag', tag }))
const byNumber = uint64Text.transform(height)

const heightWanted = `a block number (QUANTITY) or one of ${blockTags.join(', ')}`

/** Height or tag, where a hash makes no sense: ends of a range, lookups by number. */
export const BlockNumber: Wire<BlockHeight> = incoming(
  z.union([byNumber, byTag], { error: `expected ${heightWanted}` }).meta({
    id: 'BlockNumber',
    title: 'block number',
    description: heightWanted,
  }),
)

const integerWanted = `${heightWanted}, or a whole number`

/** geth takes plain numbers in a few old debug methods. */
export const BlockNumberOrInteger: Wire<BlockHeight> = incoming(
  z
    .union(
      [
        byNumber,
        byTag,
        z
          .int()
          .min(0)
          .transform((number): BlockHeight => ({ kind: 'number', number: BigInt(number) })),
      ],
      { error: `expected ${integerWanted}` },
    )
    .meta({ title: 'block number', description: integerWanted }),
)

const refWanted = `${heightWanted}, a 32-byte block hash, or an object with blockNumber or blockHash`

/** EIP-1898 in full. */
const refObject = z
  .object(
    {
      blockNumber: z.union([byNumber, byTag], { error: `expected ${heightWanted}` }).nullish(),
      blockHash: hashText.nullish(),
      requireCanonical: z.boolean().nullish().describe('With blockHash: refuse a block off the chain'),
    },
    { error: `expected ${refWanted}` },
  )
  .meta({ id: 'BlockObject', title: 'block object', description: 'Exactly one of blockNumber and blockHash' })
  .refine(({ blockNumber, blockHash }) => (blockNumber == null) !== (blockHash == null), {
    error: 'expected exactly one of blockNumber and blockHash',
  })
  .transform(
    ({ blockNumber, blockHash, requireCanonical }): BlockRef =>
      // The check above leaves one of the two.
      blockNumber ?? byHash(blockHash as string, requireCanonical ?? false),
  )

/** The block parameter of methods that read state. */
export const Block: Wire<BlockRef> = incoming(
  z
    .union([byNumber, byTag, hashText.transform((hash) => byHash(hash, false)), refObject], {
      error: `expected ${refWanted}`,
    })
    .meta({ id: 'BlockParameter', title: 'block', description: refWanted }),
)
