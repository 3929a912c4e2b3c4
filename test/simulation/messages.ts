import { sha256 } from '../../src/base/crypto/crypto.ts'
import { concatBytes } from '../../src/base/encoding/bytes.ts'

/** A block of the engine. */
export interface EngineBlock {
  readonly height: number
  /** The engine's time in milliseconds: the median of the votes for the block before. */
  readonly time: number
  readonly proposer: string
  /** The AppHash after the block before. */
  readonly appHash: string
  readonly txs: readonly Uint8Array[]
  readonly hash: Uint8Array
  /** The hash in hex. */
  readonly id: string
}

export interface Proposal {
  readonly kind: 'proposal'
  readonly height: number
  readonly round: number
  readonly block: EngineBlock
  /** The round in which the block had a quorum of prevotes; -1 for a new block. */
  readonly validRound: number
}

export interface Vote {
  readonly kind: 'prevote' | 'precommit'
  readonly height: number
  readonly round: number
  /** The key of the validator in hex. */
  readonly validator: string
  /** The id of the block; undefined for a vote for none. */
  readonly value: string | undefined
  /** The time of the voter's clock. */
  readonly time: number
}

export type Message = Proposal | Vote

/** Powers by the validators' keys in hex. */
export type Powers = ReadonlyMap<string, number>

export const totalPower = (powers: Powers): number =>
  [...powers.values()].reduce((sum, power) => sum + power, 0)

/** Returns the proposer of a round: every validator in its turn. */
export const proposerOf = (powers: Powers, height: number, round: number): string => {
  const keys = [...powers.keys()].sort()
  return keys[(height + round) % keys.length] as string
}

/** Returns the median of the votes' times, weighted by power (CometBFT's BFT time). */
export const medianTime = (commit: readonly Vote[], powers: Powers): number => {
  const sorted = commit
    .map(({ time, validator }) => ({ time, power: powers.get(validator) ?? 0 }))
    .sort((one, other) => one.time - other.time)
  let rest = sorted.reduce((sum, { power }) => sum + power, 0) / 2
  for (const { time, power } of sorted) {
    if (rest <= power) return time
    rest -= power
  }
  throw new Error('a commit without votes')
}

export const createBlock = (fields: Omit<EngineBlock, 'hash' | 'id'>): EngineBlock => {
  const { height, time, proposer, appHash, txs } = fields
  const head = Buffer.from(`${height} ${time} ${proposer} ${appHash} ${txs.map(({ length }) => length)}`)
  const hash = sha256(concatBytes(head, ...txs))
  return { ...fields, hash, id: Buffer.from(hash).toString('hex') }
}
