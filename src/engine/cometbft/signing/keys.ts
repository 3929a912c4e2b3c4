import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto'
import { keyAddress } from '../../blocks/proposers.ts'

/** An ed25519 key in the engine's form: the private key is the seed followed by the public key. */
export interface EngineKey {
  /** The public key, 32 bytes. */
  readonly publicKey: Uint8Array
  /** The private key, 64 bytes. */
  readonly privateKey: Uint8Array
}

/** What stands before the seed of an ed25519 key in PKCS #8, and how long the key is at the end of its SPKI. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')
const keyBytes = 32

/**
 * Makes a key from random bytes. Not by `generateKeyPairSync`: in Node 20 the export of what it returns hangs if memory
 * is collected meanwhile.
 */
export const generateKey = (): EngineKey => keyOf(randomBytes(keyBytes))

/**
 * The key that stands in the home while a remote signer has the key: CometBFT wants a file, and would make a key otherwise. Everybody
 * knows it, so that no start can take it for one.
 */
export const createPlaceholderKey = (): EngineKey => keyOf(Buffer.alloc(keyBytes))

const keyOf = (seed: Buffer): EngineKey => {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-keyBytes)
  return { publicKey, privateKey: Buffer.concat([seed, publicKey]) }
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
