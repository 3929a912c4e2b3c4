import { Slots } from '../../base/async/slots.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { CosmosView } from '../../chain/port/cosmos.ts'
import { unavailable } from '../../rpc/errors.ts'

/** How many heights of one request are queried from CometBFT at once. */
const atOnce = 4

/** The members of CometBFT's JSON that are read here; the client checks all of it. */
interface SignedHeaderJson {
  readonly header: { readonly validators_hash: string }
  readonly commit: { readonly block_id: { readonly hash: string } }
}

const nativeHash = (hash: unknown): string => `0x${String(hash).toLowerCase()}`

/** What light blocks are read of. */
export interface LightBlockSource {
  readonly view: Pick<CosmosView, 'signedHeader' | 'validators'>
  /** Returns the encoding of the Ethereum header of a number. */
  readonly headerAt: (number: number) => string
}

/**
 * Reads signed headers with their validators, each height once, and each set of validators once. A few are read at a time:
 * a large set takes a call for each hundred members, and one request must not hold the connections of all others.
 */
export const readLightBlocks = (
  { view, headerAt }: LightBlockSource,
  heights: readonly number[],
  knownValidators: Uint8Array | undefined,
  signal: AbortSignal,
) => {
  const known = knownValidators && toHex(knownValidators)
  const sets = new Map<string, Promise<readonly unknown[] | undefined>>()
  const validatorsOf = (hash: string, height: number) => {
    const set = sets.get(hash) ?? Promise.resolve(view.validators(height, signal))
    sets.set(hash, set)
    return set
  }
  const read = async (height: number) => {
    const signed = (await view.signedHeader(height, signal)) as SignedHeaderJson | undefined
    if (signed === undefined) throw unavailable(`the votes of block ${height} are not kept`)
    const hash = nativeHash(signed.header.validators_hash)
    const validators = hash === known ? null : await validatorsOf(hash, height)
    if (validators === undefined) throw unavailable(`the validators of block ${height} are not kept`)
    return {
      height,
      hash: nativeHash(signed.commit.block_id.hash),
      signedHeader: signed,
      validators: validators === null ? null : [...validators],
      header: headerAt(height - 1),
    }
  }
  const slots = new Slots(atOnce)
  const failed = new AbortController()
  const readOnce = (height: number) =>
    slots.run(async () => {
      signal.throwIfAborted()
      failed.signal.throwIfAborted()
      return read(height).catch((error: unknown) => {
        failed.abort(error)
        throw error
      })
    })
  const blocks = new Map([...new Set(heights)].map((height) => [height, readOnce(height)] as const))
  return Promise.all(heights.map((height) => blocks.get(height) as ReturnType<typeof readOnce>)) // one for each
}
