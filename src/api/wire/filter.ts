import { z } from 'zod'
import type { BlockNumberOrTag } from '../../chain/port/blockRef.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import { limitedList } from '../../rpc/limitedTypes.ts'
import { inputType, type WireType } from '../../rpc/wireType.ts'
import { BlockNumber } from './block.ts'
import { Address, Hash } from './data.ts'

const latest: BlockNumberOrTag = { kind: 'tag', tag: 'latest' }

/** The maximum number of alternatives, as in geth. Each of them is looked up separately. */
const maxAlternatives = 1_000

const addresses = z.union([Address.schema, limitedList(Address.schema, { max: maxAlternatives })], {
  error: 'expected an address or an array of addresses',
})

const topicPosition = z.union(
  [z.null(), Hash.schema, limitedList(Hash.schema.nullable(), { max: maxAlternatives })],
  {
    error: 'expected null, a topic (32 bytes) or an array of topics',
  },
)

/** A log has no more. */
const maxTopics = 4

const topicsWanted = `expected an array of at most ${maxTopics} topics`

/** Returns the alternatives of a topic. A null among them matches everything, as in geth. */
const alternatives = (position: z.output<typeof topicPosition>): readonly Uint8Array[] => {
  if (position === null) return []
  if (position instanceof Uint8Array) return [position]
  const topics = position.filter((topic) => topic !== null)
  return topics.length === position.length ? topics : []
}

const oneOrMany = (given: Uint8Array | readonly Uint8Array[] | null | undefined): readonly Uint8Array[] => {
  if (given === null || given === undefined) return []
  return given instanceof Uint8Array ? [given] : given
}

const members = z
  .object(
    {
      fromBlock: BlockNumber.schema.nullish(),
      toBlock: BlockNumber.schema.nullish(),
      address: addresses.nullish().describe('One address, many, or none for logs of every contract'),
      topics: limitedList(topicPosition, { max: maxTopics, error: topicsWanted, message: topicsWanted })
        .nullish()
        .describe('In order; null matches anything, an array any of its topics'),
      blockhash: Hash.schema
        .nullish()
        .describe('The logs of this block alone; excludes fromBlock and toBlock'),
      blockHash: Hash.schema.nullish().describe('The same as blockhash'),
    },
    { error: 'expected a filter object' },
  )
  .meta({ id: 'Filter', title: 'log filter' })

/** Returns whether the filter has either one block by its hash or a range, but not both (EIP-234). */
const choosesOne = ({ fromBlock, toBlock, blockhash, blockHash }: z.output<typeof members>): boolean =>
  (blockhash ?? blockHash ?? undefined) === undefined || (fromBlock ?? toBlock ?? undefined) === undefined

export const Filter: WireType<LogFilter> = inputType(
  members
    .refine(choosesOne, { error: 'expected either blockHash or fromBlock and toBlock, not both' })
    .refine(
      ({ blockhash, blockHash }) => !blockhash || !blockHash || Buffer.compare(blockhash, blockHash) === 0,
      {
        error: 'expected blockhash and blockHash to be equal where both are given',
      },
    )
    .transform(({ fromBlock, toBlock, address, topics, blockhash, blockHash }): LogFilter => {
      const hash = blockhash ?? blockHash
      return {
        blocks: hash
          ? { kind: 'hash', hash }
          : { kind: 'range', from: fromBlock ?? latest, to: toBlock ?? latest },
        addresses: oneOrMany(address),
        topics: (topics ?? []).map(alternatives),
      }
    }),
)
