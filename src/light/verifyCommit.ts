import { equalBytes } from '../base/encoding/bytes.ts'
import { toHex } from '../base/encoding/hex.ts'
import { type Commit, type CommitSignature, signBytesOf } from '../comet/data/commit.ts'
import { ProvenLie } from '../comet/data/provenLie.ts'
import type { ValidatorKey } from './validatorKey.ts'
import type { ValidatorSet } from './validatorSet.ts'

/** A part of the power, as a fraction. */
export interface Share {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** What decides a block. */
const twoThirds: Share = { numerator: 2n, denominator: 3n }

/** Checks signatures of one commit. A signature that two sets share is checked once. */
export class CommitCheck {
  readonly #commit: Commit
  readonly #signBytes: (time: CommitSignature['time']) => Uint8Array
  readonly #valid = new Set<CommitSignature>()

  constructor(chainId: string, commit: Commit) {
    this.#commit = commit
    this.#signBytes = signBytesOf(chainId, commit)
  }

  /** Throws unless more than two thirds of the power of the commit's own validators voted for its block. */
  async assertDecided(validators: ValidatorSet): Promise<void> {
    const { height, signatures } = this.#commit
    const { members } = validators
    if (signatures.length !== members.length)
      throw new ProvenLie(
        'bad signature',
        height,
        `its commit has ${signatures.length} votes of ${members.length} validators`,
      )
    const needed = neededPower(validators, twoThirds)
    let power = 0n
    for (const [index, signature] of signatures.entries()) {
      if (!signature.isForBlock) continue
      const member = members[index] as (typeof members)[number] // there are as many
      if (!equalBytes(member.key.address, signature.address))
        throw new ProvenLie('bad signature', height, `vote ${index} of its commit names another validator`)
      await this.#assertSigned(signature, member.key)
      power += member.power
      if (power > needed) return
    }
    throw new ProvenLie(
      'too little power',
      height,
      `its commit has the power ${power} of ${validators.totalPower}, which decides nothing`,
    )
  }

  /** Returns whether more than a share of the power of another set, which is trusted, voted for the block. */
  async isTrustedBy(validators: ValidatorSet, share: Share): Promise<boolean> {
    const needed = neededPower(validators, share)
    const seen = new Set<string>()
    let power = 0n
    for (const signature of this.#commit.signatures) {
      if (!signature.isForBlock) continue
      const member = validators.find(signature.address)
      if (member === undefined) continue
      const name = toHex(signature.address)
      if (seen.has(name))
        throw new ProvenLie('bad signature', this.#commit.height, 'a validator is twice in its commit')
      seen.add(name)
      await this.#assertSigned(signature, member.key)
      power += member.power
      if (power > needed) return true
    }
    return false
  }

  async #assertSigned(signature: CommitSignature, key: ValidatorKey): Promise<void> {
    // A set knows a key by its address alone, so a vote that one set found valid is that of the same key in another.
    if (this.#valid.has(signature)) return
    if (!(await key.verify(this.#signBytes(signature.time), signature.signature)))
      throw new ProvenLie(
        'bad signature',
        this.#commit.height,
        `validator ${toHex(signature.address)} did not sign its commit`,
      )
    this.#valid.add(signature)
  }
}

const neededPower = ({ totalPower }: ValidatorSet, { numerator, denominator }: Share): bigint =>
  (totalPower * numerator) / denominator
