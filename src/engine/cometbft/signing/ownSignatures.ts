import { equalBytes } from '../../../base/encoding/bytes.ts'
import type { SignState } from './signState.ts'

export interface OwnSignaturesOptions {
  /** CometBFT's address of the key with which this node signs. */
  readonly address: Uint8Array
  /** The path of the record of signatures, for messages. */
  readonly path: string
  /** When this node was started, in milliseconds. */
  readonly startedAt: number
}

/** A decided block with who signed the one before. */
export interface DecidedVotes {
  readonly height: number
  /** The time of the block in seconds: the median of when those votes were cast. */
  readonly time: bigint
  readonly votes: readonly {
    readonly validator?: { readonly address: Uint8Array } | undefined
    readonly blockIdFlag: number
  }[]
}

export interface OwnSignaturesDependencies {
  /** Reads what CometBFT has signed. */
  readonly read: () => SignState
  /** Returns when the vote of this key for a decided block was cast, in milliseconds; undefined if that is not known. */
  readonly castAt: (height: number) => Promise<number | undefined>
  /** Returns by how many milliseconds the clock was set forward since the start; negative if it was set back. */
  readonly clockStep: () => number
}

/** The flag of a validator that did not vote. */
const absent = 1
/** How far the clocks of validators may be apart. */
const clockMs = 10_000
/** By how much the clock of this computer may be set back without notice. */
const stepMs = 1_000

/**
 * Finds signatures of this validator's key that are not of this node: a copy of its home runs beside it, or its record of
 * signatures is an old one. CometBFT writes that record before a vote leaves it, therefore a decided vote above it is
 * somebody else's. A node that must catch up finds out before it votes; one with much of the power votes while it does, as
 * CometBFT lets it, and there the time of a vote tells, which is the clock of whoever cast it.
 */
export class OwnSignatures {
  readonly #options: OwnSignaturesOptions
  readonly #dependencies: OwnSignaturesDependencies
  #known: number
  /** Whether a vote of this process was decided on, after which none of an older process is above the record. */
  #isSettled = false

  constructor(options: OwnSignaturesOptions, dependencies: OwnSignaturesDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#known = dependencies.read().height
  }

  /** Returns what is wrong with the votes for the block before; undefined if nothing is. */
  async findForeign({ height, time, votes }: DecidedVotes): Promise<string | undefined> {
    const { address, startedAt } = this.#options
    const signed = height - 1
    if (signed <= this.#known) return undefined
    const own = votes.find(({ validator }) => validator && equalBytes(validator.address, address))
    if (own === undefined || own.blockIdFlag <= absent) return undefined
    const before = this.#known
    const known = this.#dependencies.read().height
    if (signed <= known) {
      if (await this.#isOlder(signed)) return this.#describe(signed, before, false)
      this.#known = known
      return undefined
    }
    return this.#describe(signed, known, Number(time) * 1000 > startedAt + clockMs)
  }

  /** Whether the vote for a block was cast before this process could. */
  async #isOlder(height: number): Promise<boolean> {
    if (this.#isSettled) return false
    const castAt = await this.#dependencies.castAt(height)
    if (castAt === undefined) return false
    // After a clock that was ahead at the start was set back, this node's own votes are from before it.
    this.#isSettled = castAt >= this.#options.startedAt - stepMs || this.#dependencies.clockStep() < -stepMs
    return !this.#isSettled
  }

  #describe(signed: number, known: number, isNow: boolean): string {
    const { address, path } = this.#options
    const key = Buffer.from(address).toString('hex').toUpperCase()
    if (isNow)
      return (
        `another process signs with the key of this validator (${key}): it signed block ${signed} while this node ran, which has ` +
        `signed nothing above ${known}. This node stops before it signs: stop the other one first, and take its ${path} with the key`
      )
    return (
      `the key of this validator (${key}) has signed block ${signed}, and ${path} knows of nothing above ${known}: it is an old ` +
      'copy, or another process has the key. This node stops before it signs. Restore the newest one; where there is none and no other process has ' +
      'the key, `perihelion network sign-state --raise HEIGHT` with the height of the network lets it go on above that'
    )
  }
}
