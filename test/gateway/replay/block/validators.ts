import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { blob, join, nested, text, uint } from '../wire.ts'
import { type CometHeader, type CometTime, merkleRoot, partsOf, sha256, toRfc3339 } from './comet.ts'
import { base64, blockIdJson, headerJson, type JsonBlock, upper } from './cometJson.ts'

/** Validators that really sign, in CometBFT's encodings written apart from the gateway's code. */

export interface ReplayValidator {
  readonly address: Uint8Array
  readonly publicKey: Uint8Array
  readonly key: KeyObject
  readonly power: number
}

const keyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export const validatorOf = (seed: Uint8Array, power: number): ReplayValidator => {
  const der = Buffer.concat([keyPrefix, seed.subarray(0, 32)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
  return { address: sha256(publicKey).subarray(0, 20), publicKey, key, power }
}

export const validatorsHash = (validators: readonly ReplayValidator[]): Uint8Array =>
  merkleRoot(validators.map(({ publicKey, power }) => join(nested(1, nested(1, publicKey)), uint(2, power))))

export const validatorsJson = (height: number, validators: readonly ReplayValidator[]): string => {
  const all = validators.map(
    ({ address, publicKey, power }) =>
      `{"address":"${upper(address)}","pub_key":{"type":"tendermint/PubKeyEd25519","value":"${base64(publicKey)}"},"voting_power":"${power}","proposer_priority":"0"}`,
  )
  return `{"block_height":"${height}","validators":[${all.join(',')}],"count":"${all.length}","total":"${all.length}"}`
}

const fixed = (field: number, value: number): Uint8Array => {
  if (value === 0) return new Uint8Array(0)
  const bytes = Buffer.alloc(9)
  bytes[0] = (field << 3) | 1
  bytes.writeBigInt64LE(BigInt(value), 1)
  return bytes
}

/** What a vote for a block signs. */
export const voteBytes = (
  { chainId, height }: Pick<CometHeader, 'chainId' | 'height'>,
  { hash, partsHash }: Pick<JsonBlock, 'hash' | 'partsHash'>,
  time: CometTime,
): Uint8Array => {
  const id = join(blob(1, hash), nested(2, join(uint(1, partsOf(hash)), blob(2, partsHash))))
  const at = join(uint(1, time.seconds), uint(2, time.nanos))
  const vote = join(uint(1, 2), fixed(2, height), nested(4, id), nested(5, at), text(6, chainId))
  // The length in front is that of a protobuf field without its tag.
  return nested(1, vote).subarray(1)
}

/** The reply of `commit`. */
export const commitJson = (block: JsonBlock, validators: readonly ReplayValidator[]): string => {
  const { header, hash, partsHash } = block
  const time = { seconds: header.time.seconds + 1, nanos: header.time.nanos }
  const message = voteBytes(header, block, time)
  const votes = validators.map(
    ({ address, key }) =>
      `{"block_id_flag":2,"validator_address":"${upper(address)}","timestamp":"${toRfc3339(time)}","signature":"${base64(sign(null, message, key))}"}`,
  )
  const commit = `{"height":"${header.height}","round":0,"block_id":${blockIdJson(hash, partsHash)},"signatures":[${votes.join(',')}]}`
  return `{"signed_header":{"header":${headerJson(header)},"commit":${commit}},"canonical":true}`
}
