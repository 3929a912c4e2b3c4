import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { keyAddress } from '../proposers.ts'

/** An ed25519 key in the engine's form: the private key is the seed followed by the public key. */
export interface EngineKey {
  /** The public key, 32 bytes. */
  readonly publicKey: Uint8Array
  /** The private key, 64 bytes. */
  readonly privateKey: Uint8Array
}

export const generateKey = (): EngineKey => fromKeyObject(generateKeyPairSync('ed25519').privateKey)

const fromKeyObject = (key: KeyObject): EngineKey => {
  const seed = key.export({ format: 'jwk' }).d
  const point = createPublicKey(key).export({ format: 'jwk' }).x
  if (seed === undefined || point === undefined) throw new Error('the key is no ed25519 key')
  const publicKey = Buffer.from(point, 'base64url')
  return { publicKey, privateKey: Buffer.concat([Buffer.from(seed, 'base64url'), publicKey]) }
}

/** Returns the id of a node among its peers. */
export const nodeId = (publicKey: Uint8Array): string => Buffer.from(keyAddress(publicKey)).toString('hex')

/** Returns CometBFT's address of a validator's key as it writes it. */
export const validatorAddress = (publicKey: Uint8Array): string => nodeId(publicKey).toUpperCase()

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

export const publicKeyJson = (publicKey: Uint8Array) => ({
  type: 'tendermint/PubKeyEd25519',
  value: base64(publicKey),
})

const privateKeyJson = ({ privateKey }: EngineKey) => ({
  type: 'tendermint/PrivKeyEd25519',
  value: base64(privateKey),
})

/** Returns the content of node_key.json. */
export const toNodeKeyFile = (key: EngineKey): object => ({ priv_key: privateKeyJson(key) })

/** Returns the content of priv_validator_key.json. */
export const toValidatorKeyFile = (key: EngineKey): object => ({
  address: validatorAddress(key.publicKey),
  pub_key: publicKeyJson(key.publicKey),
  priv_key: privateKeyJson(key),
})

/** Parses the text of either file. */
export const parseEngineKeyFile = (text: string): EngineKey => {
  const { priv_key: key } = JSON.parse(text) as { priv_key?: { type?: string; value?: string } }
  const bytes = Buffer.from(key?.value ?? '', 'base64')
  if (key?.type !== 'tendermint/PrivKeyEd25519' || bytes.length !== 64)
    throw new Error('wanted an ed25519 key of CometBFT')
  return { privateKey: bytes, publicKey: bytes.subarray(32) }
}
