import { ripemd160 } from '@noble/hashes/legacy.js'
import { LRUCache } from 'lru-cache'
import { secp256k1, sha256 } from '../base/crypto/crypto.ts'
import { ed25519Check, type SignatureCheck } from '../base/crypto/ed25519.ts'
import { fromBase64 } from '../base/encoding/base64.ts'
import { messageField } from '../base/encoding/protobuf/protoWriter.ts'
import { UpstreamError } from '../comet/data/upstreamError.ts'
import { UnknownKeyError } from './trustError.ts'

/** A public key of a validator, with what CometBFT derives from it. */
export interface ValidatorKey {
  /** The address that votes name. */
  readonly address: Uint8Array
  /** The key as a protobuf message, which the hash of a validator set covers. */
  readonly encoded: Uint8Array
  readonly verify: SignatureCheck
}

/** The length of a signature, which is the same for both kinds of keys. */
const signatureLength = 64
const addressLength = 20

const openEd25519 = (key: Uint8Array): ValidatorKey => {
  const check = ed25519Check(key)
  return {
    address: sha256(key).subarray(0, addressLength),
    encoded: messageField(1, key),
    verify: (message, signature) => signature.length === signatureLength && check(message, signature),
  }
}

const openSecp256k1 = (key: Uint8Array): ValidatorKey => ({
  address: ripemd160(sha256(key)),
  encoded: messageField(2, key),
  verify: (message, signature) =>
    signature.length === signatureLength && secp256k1.verify(sha256(message), signature, key),
})

const kinds: Readonly<Record<string, { readonly length: number; open(key: Uint8Array): ValidatorKey }>> = {
  'tendermint/PubKeyEd25519': { length: 32, open: openEd25519 },
  'tendermint/PubKeySecp256k1': { length: 33, open: openSecp256k1 },
}

const opened = new LRUCache<string, ValidatorKey>({ max: 10_000 })

/** Opens a key as CometBFT's JSON has it: the name of its kind and its bytes in base64. */
export const openValidatorKey = (kind: string, base64: string): ValidatorKey => {
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
  if (known === undefined)
    throw new UnknownKeyError(
      `validators sign with keys of the kind ${kind.slice(0, 60)}, which cannot be checked here`,
    )
  const name = `${kind} ${base64}`
  const cached = opened.get(name)
  if (cached) return cached
  const bytes = fromBase64(base64)
  if (bytes?.length !== known.length) throw new UpstreamError(`a key of the kind ${kind} is malformed`)
  const key = known.open(bytes)
  opened.set(name, key)
  return key
}
