import { createHmac } from 'node:crypto'
import { curveOrder, secp256k1 } from '../../base/crypto/crypto.ts'
import { fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'

/** An index from here on is hardened: the child depends on the private key of its parent. */
export const firstHardened = 2 ** 31

/** A private key of a tree of keys (BIP-32). The caller must overwrite it with `wipe`. */
export interface HdKey {
  readonly privateKey: Uint8Array
  readonly chainCode: Uint8Array
}

/** Returns the root of the tree that grows from a seed. */
export const masterKey = (seed: Uint8Array): HdKey => {
  const digest = createHmac('sha512', 'Bitcoin seed').update(seed).digest()
  return { privateKey: checkKey(digest.subarray(0, 32)), chainCode: digest.subarray(32) }
}

/** Returns a child of a key. */
export const childKey = ({ privateKey, chainCode }: HdKey, index: number): HdKey => {
  const data = Buffer.alloc(37)
  if (index >= firstHardened) data.set(privateKey, 1)
  else data.set(compressedPublicKey(privateKey))
  data.writeUInt32BE(index, 33)
  const digest = createHmac('sha512', chainCode).update(data).digest()
  data.fill(0)
  const tweak = toBigInt(digest.subarray(0, 32))
  if (tweak >= curveOrder) throw noKey()
  const key = fromBigInt((tweak + toBigInt(privateKey)) % curveOrder, 32)
  digest.fill(0, 0, 32)
  return { privateKey: checkKey(key), chainCode: digest.subarray(32) }
}

/** Returns the key at a path such as m/44'/60'/0'/0; an apostrophe hardens a step. */
export const deriveKey = (root: HdKey, path: string): HdKey => {
  let key = root
  for (const step of path.split('/').slice(1)) {
    const index = Number.parseInt(step, 10) + (step.endsWith("'") ? firstHardened : 0)
    const child = childKey(key, index)
    if (key !== root) wipe(key)
    key = child
  }
  return key
}

export const wipe = ({ privateKey, chainCode }: HdKey): void => {
  privateKey.fill(0)
  chainCode.fill(0)
}

const compressedPublicKey = (privateKey: Uint8Array): Uint8Array => {
  const point = secp256k1.publicKey(privateKey)
  const compressed = new Uint8Array(33)
  compressed[0] = 2 + ((point[63] as number) & 1)
  compressed.set(point.subarray(0, 32), 1)
  return compressed
}

/** Fewer than one key of 2^127 is none; BIP-32 has the caller go on with another index. */
const noKey = (): Error => new Error('there is no key at this place of the tree')

const checkKey = (key: Uint8Array): Uint8Array => {
  if (!secp256k1.isPrivateKey(key)) throw noKey()
  return key
}
