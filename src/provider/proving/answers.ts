import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { decodeHeader, type Header } from '../../chain/block/header.ts'
import type { SignedHeader } from '../../comet/data/commit.ts'
import { parseSignedHeader } from '../../comet/data/commit.ts'
import { type JsonObject, parseList, parseObject } from '../../comet/data/fields.ts'
import { parseValidators } from '../../comet/data/replies.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { ValidatorSet } from '../../light/validatorSet.ts'

/** Parsers of what endpoints answer. What they throw makes the response a lie. */

const isData = /^0x(?:[0-9a-fA-F]{2})*$/

export const parseData = (value: unknown, where: string): Uint8Array => {
  if (typeof value !== 'string' || !isData.test(value)) throw new UpstreamError(`${where} is not DATA`)
  return fromHex(value)
}

const maxItems = 100_000

export const parseDataList = (value: unknown, where: string): readonly Uint8Array[] =>
  parseList(value, where, maxItems).map((item) => parseData(item, where))

/** A header of Ethereum whose hash is proven. */
export interface ProvenHeader {
  readonly header: Header
  readonly hash: Uint8Array
  readonly rlp: Uint8Array
}

/** Returns the header of a hash; throws if the encoding has another. */
export const provenHeader = (rlp: Uint8Array, hash: Uint8Array, where: string): ProvenHeader => {
  if (!equalBytes(keccak256(rlp), hash)) throw new UpstreamError(`${where} is not the header of its hash`)
  return { header: decodeHeader(rlp), hash, rlp }
}

/** A response of `perihelion_lightBlock`, not proven yet. */
export interface LightAnswer {
  readonly signed: SignedHeader
  /** Undefined where they were left out as the known ones. */
  readonly validators: ValidatorSet | undefined
  /** The encoding of the Ethereum header that the app hash is said to be of. */
  readonly headerRlp: Uint8Array
}

export const parseLightAnswer = (value: unknown): LightAnswer => {
  const [first] = parseList(value, 'lightBlocks', 1)
  const { signedHeader, validators, header } = parseObject(first, 'a light block')
  return {
    signed: parseSignedHeader(signedHeader),
    validators: parseSet(validators),
    headerRlp: parseData(header, 'header'),
  }
}

const parseSet = (validators: unknown): ValidatorSet | undefined => {
  if (validators === null || validators === undefined) return undefined
  const total = String(Array.isArray(validators) ? validators.length : 0)
  return new ValidatorSet(parseValidators({ validators, total }).validators)
}

export const parseMembers = (value: unknown, where: string): JsonObject => parseObject(value, where)
