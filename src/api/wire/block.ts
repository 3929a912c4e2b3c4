import { z } from 'zod'
import { fromHex } from '../../base/encoding/hex.ts'
import { type BlockNumberOrTag, type BlockRef, type BlockTag, blockTags } from '../../chain/port/blockRef.ts'
import { inputType, patternString, type WireType } from '../../rpc/wireType.ts'
import { hashText } from './data.ts'
import { wholeNumber } from './quantity.ts'

const tagSchema = z.enum(blockTags).meta({
  id: 'BlockTag',
  title: 'block tag',
  description: 'safe and finalized equal latest: blocks are final',
})

/** Heights are signed integers here, as in geth, so that the highest bit is not available. */
const heightPattern = /^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,14}|[1-7][0-9a-fA-F]{15})$/

const heightText = patternString(
  heightPattern,
  'a QUANTITY: 0x and hex digits without leading zeros, at most 63 bits',
).meta({ id: 'Height', title: 'QUANTITY of at most 63 bits' })

const isTag = (text: string): text is BlockTag => blockTags.some((tag) => tag === text)

const toHeight = (text: string): BlockNumberOrTag =>
  isTag(text) ? { kind: 'tag', tag: text } : { kind: 'number', number: BigInt(text) }

const tagRefs: ReadonlyMap<unknown, BlockNumberOrTag> = new Map(
  blockTags.map((tag) => [tag, Object.freeze({ kind: 'tag' as const, tag })]),
)

/** Decodes a height or a tag; returns undefined for everything else. */
const decodeHeight = (given: unknown): BlockNumberOrTag | undefined =>
  tagRefs.get(given) ??
  (typeof given === 'string' && heightPattern.test(given)
    ? { kind: 'number', number: BigInt(given) }
    : undefined)

const heightWanted = `a block number (QUANTITY) or one of ${blockTags.join(', ')}`

/** A height or tag, for the ends of a range and for lookups by number. */
export const BlockNumber: WireType<BlockNumberOrTag> = inputType(
  z
    .union([tagSchema, heightText], { error: `expected ${heightWanted}` })
    .meta({ id: 'BlockNumber', title: 'block number', description: heightWanted })
    .transform(toHeight),
  decodeHeight,
)

const integerWanted = `${heightWanted}, or a whole number`

/** A height that may also be a JSON number, which geth accepts in a few old debug methods. */
export const BlockNumberOrInteger: WireType<BlockNumberOrTag> = inputType(
  z
    .union([heightText, tagSchema, wholeNumber(0, Number.MAX_SAFE_INTEGER, integerWanted)], {
      error: `expected ${integerWanted}`,
    })
    .meta({ title: 'block number', description: integerWanted })
    .transform((given) => toHeight(String(given))),
)

const refWanted = `${heightWanted}, a 32-byte block hash, or an object with blockNumber or blockHash`

const refObject = z
  .object(
    {
      blockNumber: z.union([heightText, tagSchema]).nullish(),
      blockHash: hashText.nullish(),
      requireCanonical: z
        .boolean()
        .nullish()
        .describe('With blockHash: reject a block that is not on the canonical chain'),
    },
    { error: `expected ${refWanted}` },
  )
  .meta({ id: 'BlockObject', title: 'block object', description: 'Exactly one of blockNumber and blockHash' })

/** Tags are tried first, because most calls have one. */
const anyRef = z
  .union([tagSchema, heightText, hashText, refObject], { error: `expected ${refWanted}` })
  .meta({ id: 'BlockParameter', title: 'block', description: refWanted })

type GivenRef = z.output<typeof anyRef>

const namesOne = (given: GivenRef): boolean =>
  typeof given === 'string' || (given.blockNumber == null) !== (given.blockHash == null)

const toHash = (text: string, requireCanonical: boolean): BlockRef => ({
  kind: 'hash',
  hash: fromHex(text),
  requireCanonical,
})

/** The length of a hash as text; every number and tag is shorter. */
const hashLength = 66

const toRef = (given: GivenRef): BlockRef => {
  if (typeof given === 'string') return given.length === hashLength ? toHash(given, false) : toHeight(given)
  const { blockNumber, blockHash, requireCanonical } = given
  // `namesOne` has checked that one of the two is given.
  return blockNumber == null ? toHash(blockHash as string, requireCanonical ?? false) : toHeight(blockNumber)
}

const oneRef = anyRef.refine(namesOne, { error: 'expected exactly one of blockNumber and blockHash' })

/** The block parameter of methods that read state. */
export const Block: WireType<BlockRef> = inputType(oneRef.transform(toRef), decodeHeight)

/** The same where a height may also be a JSON number. */
export const BlockOrInteger: WireType<BlockRef> = inputType(
  z
    .union([oneRef, z.int().min(0)], { error: `expected ${refWanted}, or a whole number` })
    .meta({ title: 'block', description: `${refWanted}, or a whole number` })
    .transform((given) => (typeof given === 'number' ? toHeight(String(given)) : toRef(given))),
)
