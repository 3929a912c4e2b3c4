import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { type Commit, signBytesOf } from '../../src/comet/data/commit.ts'
import { headerHash } from '../../src/comet/data/headerHash.ts'
import type { NativeHeader } from '../../src/comet/data/nativeBlock.ts'
import { ValidatorSet } from '../../src/light/validatorSet.ts'

/** Validators whose keys a test has. */

interface Signer {
  readonly privateKey: KeyObject
  readonly address: Uint8Array
}

export interface Keys {
  readonly set: ValidatorSet
  readonly signers: readonly Signer[]
}

export const signerOf = (): { readonly privateKey: KeyObject; readonly raw: Uint8Array } => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32))
  return { privateKey, raw }
}

/** Returns a commit for a header; who does not sign it is absent. */
export const commitOf = (
  header: NativeHeader,
  signers: readonly Signer[],
  signs: (index: number) => boolean = () => true,
): Commit => {
  const commit: Commit = {
    height: header.height,
    round: 0,
    blockId: { hash: headerHash(header), partsTotal: 1, partsHash: new Uint8Array(32).fill(4) },
    signatures: [],
  }
  const signBytes = signBytesOf(header.chainId, commit)
  const signatures = signers.map(({ privateKey, address }, index) =>
    signs(index)
      ? {
          flag: 2,
          isForBlock: true,
          address,
          time: header.time,
          signature: new Uint8Array(sign(null, signBytes(header.time), privateKey)),
        }
      : {
          flag: 1,
          isForBlock: false,
          address: new Uint8Array(0),
          time: header.time,
          signature: new Uint8Array(0),
        },
  )
  return { ...commit, signatures }
}

const addressOf = (raw: Uint8Array): Uint8Array =>
  new Uint8Array(createHash('sha256').update(raw).digest().subarray(0, 20))

export const toKeys = (members: readonly ReturnType<typeof signerOf>[]): Keys => {
  const source = members.map(({ raw }) => {
    const key = Buffer.from(raw).toString('base64')
    const address = addressOf(raw)
    return { address, keyType: 'tendermint/PubKeyEd25519', key, power: 10n }
  })
  const signers = members.map(({ privateKey, raw }) => ({ privateKey, address: addressOf(raw) }))
  return { set: new ValidatorSet(source), signers }
}
