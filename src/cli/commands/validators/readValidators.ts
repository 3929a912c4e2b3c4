import { toQuantity } from '../../../base/encoding/hex.ts'
import type { Outcome } from '../../../follow/batchAnswer.ts'
import { type Call, openNodeClient } from '../../../follow/nodeClient.ts'

/** A validator of the newest block, as the node reports it. */
export interface ListedValidator {
  readonly pubkey: string
  /** CometBFT's address of the key. */
  readonly address: string
  readonly power: string
  readonly reward: string | null
  /** The blocks that it did not sign; undefined if the node does not say. */
  readonly missed: number | undefined
  /** Of how many of the newest blocks. */
  readonly counted: number
}

export interface ValidatorList {
  readonly height: number
  readonly validators: readonly ListedValidator[]
}

/** How many of the newest blocks are looked at, as in `clique_status`. */
const looked = 64

interface CometValidator {
  readonly pubkey: string
  readonly cometbftAddress: string
  readonly power: string
  readonly reward: string | null
}

interface NativeBlock {
  readonly block?: {
    readonly last_commit?: {
      readonly signatures?: readonly { readonly validator_address: string; readonly block_id_flag: number }[]
    }
  }
}

/** CometBFT's flag of a validator whose vote is missing. */
const absent = 1

/** Returns who voted on blocks, by height, from somewhere else than the node's methods. */
type ReadVotes = (heights: readonly number[]) => Promise<ReadonlyMap<number, readonly string[]>>

/**
 * Asks a node for the validators and for their votes in the newest blocks; `readVotes` is asked for votes that the node does not
 * serve.
 */
export const readValidators = async (target: string, readVotes?: ReadVotes): Promise<ValidatorList> => {
  const client = openNodeClient(target)
  const ask = async (calls: readonly Call[]) => (await client.batch(calls)).outcomes
  try {
    const [number, found] = await ask([
      { method: 'eth_blockNumber', params: [] },
      { method: 'perihelion_validators', params: ['latest'] },
    ])
    const height = Number(resultOf<string>(number))
    const validators = resultOf<readonly CometValidator[]>(found)
    if (validators === undefined) throw new Error(messageOf(found))
    // A block has the votes for the one before.
    const count = Math.min(looked, Math.max(0, height - 1))
    // The node rejects an empty batch.
    const answers =
      count === 0
        ? []
        : await ask(
            Array.from({ length: count }, (_, index) => [
              { method: 'cosmos_getBlock', params: [toQuantity(height - index)] },
              { method: 'perihelion_validators', params: [toQuantity(height - index - 1)] },
            ]).flat(),
          )
    const served = Array.from({ length: count }, (_, index) => {
      const block = resultOf<NativeBlock>(answers[2 * index])
      const asked = resultOf<readonly CometValidator[]>(answers[2 * index + 1])
      const voted = block?.block?.last_commit?.signatures?.filter((one) => one.block_id_flag !== absent)
      return {
        height: height - index - 1,
        voted: voted?.map((one) => one.validator_address),
        asked: asked?.map(addressOf),
      }
    })
    const unknown = served.filter(({ voted }) => voted === undefined).map((one) => one.height)
    const others = unknown.length === 0 ? undefined : await readVotes?.(unknown)
    const votes = served.map((one) => ({ ...one, voted: one.voted ?? others?.get(one.height) }))
    return {
      height,
      validators: validators.map(({ pubkey, cometbftAddress, power, reward }) => {
        const address = addressOf({ cometbftAddress })
        const { missed, counted } = countMissed(address, votes)
        return { pubkey, address, power: BigInt(power).toString(), reward, missed, counted }
      }),
    }
  } finally {
    client.close()
  }
}

/** As CometBFT writes it. */
const addressOf = ({ cometbftAddress }: Pick<CometValidator, 'cometbftAddress'>): string =>
  cometbftAddress.slice(2).toUpperCase()

interface BlockVotes {
  /** Who voted; undefined where that is not known. */
  readonly voted: readonly string[] | undefined
  /** Who was asked for a vote; undefined where the node does not have that any more. */
  readonly asked: readonly string[] | undefined
}

/** Counts the blocks that a validator missed, of those on which it was asked for its vote: it may have joined later. */
const countMissed = (address: string, votes: readonly BlockVotes[]) => {
  const signed = votes.flatMap(({ voted, asked }) =>
    voted !== undefined && asked?.includes(address) ? [voted.includes(address)] : [],
  )
  return {
    missed: signed.length === 0 ? undefined : signed.filter((one) => !one).length,
    counted: signed.length,
  }
}

/** The cast is what the specification of the method promises. */
const resultOf = <T>(outcome: Outcome | undefined): T | undefined =>
  outcome?.result === undefined ? undefined : (JSON.parse(outcome.result.toString()) as T)

const messageOf = (outcome: Outcome | undefined): string =>
  outcome?.error?.message ?? 'the node returned no validators'
