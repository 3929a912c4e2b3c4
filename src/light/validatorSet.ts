import { concatBytes, equalBytes } from '../base/encoding/bytes.ts'
import { toHex } from '../base/encoding/hex.ts'
import { integerField, messageField } from '../base/encoding/protobuf/protoWriter.ts'
import { merkleRoot } from '../comet/data/merkle.ts'
import type { NodeValidator } from '../comet/data/replies.ts'
import { UpstreamError } from '../comet/data/upstreamError.ts'
import { openValidatorKey, type ValidatorKey } from './validatorKey.ts'

interface Validator {
  readonly key: ValidatorKey
  readonly power: bigint
}

/** CometBFT's limit of the power of all validators together: an eighth of the largest integer of 64 bits. */
const maxTotalPower = ((1n << 63n) - 1n) / 8n

const encode = ({ key, power }: Validator): Uint8Array =>
  concatBytes(messageField(1, key.encoded), integerField(2, power))

/** The validators of a height in their order, which is also that of a commit's signatures. */
export class ValidatorSet {
  readonly members: readonly Validator[]
  readonly totalPower: bigint
  /** The hash that headers hold. */
  readonly hash: Uint8Array
  /** The members as the node told them, for a file. */
  readonly source: readonly NodeValidator[]
  readonly #byAddress: ReadonlyMap<string, Validator>

  /** Throws an `UpstreamError` for what cannot be a set, and a `TrustError` for keys of a kind that is not known. */
  constructor(source: readonly NodeValidator[]) {
    if (source.length === 0) throw new UpstreamError('a set of validators is empty')
    this.source = source
    this.members = source.map(({ address, keyType, key: base64, power }) => {
      const key = openValidatorKey(keyType, base64)
      if (!equalBytes(key.address, address))
        throw new UpstreamError('the address of a validator is not that of its key')
      if (power <= 0n) throw new UpstreamError('a validator has no power')
      return { key, power }
    })
    this.totalPower = this.members.reduce((sum, { power }) => sum + power, 0n)
    if (this.totalPower > maxTotalPower)
      throw new UpstreamError(
        `validators have the power ${this.totalPower} together, the limit is ${maxTotalPower}`,
      )
    this.#byAddress = new Map(this.members.map((member) => [toHex(member.key.address), member]))
    if (this.#byAddress.size !== source.length) throw new UpstreamError('a validator is twice in a set')
    this.hash = merkleRoot(this.members.map(encode))
  }

  find(address: Uint8Array): Validator | undefined {
    return this.#byAddress.get(toHex(address))
  }
}
