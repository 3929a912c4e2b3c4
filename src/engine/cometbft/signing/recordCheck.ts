import { createPublicKey, verify } from 'node:crypto'
import { badConfig } from '../../../base/exit.ts'
import { keyAddress } from '../../blocks/proposers.ts'
import { type EngineKey, validatorAddress } from './keys.ts'
import { isLater, readRecordedSignature, readSignState, type SignState, signStatePath } from './signState.ts'
import { lastOwnStep } from './voteLog.ts'

/** What stands before an ed25519 key in its SPKI. */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Throws an ExitError if the record of signatures is missing, damaged, of another key, or older than what the home itself has
 * signed: before CometBFT starts, because the first vote may be the second for its height.
 */
export const assertRecordFits = (folder: string, { publicKey }: Pick<EngineKey, 'publicKey'>): void => {
  const path = signStatePath(folder)
  const address = validatorAddress(publicKey)
  // In this order: a node that runs writes the record before its log.
  const own = lastOwnStep(folder, keyAddress(publicKey))
  const state = readSignState(path)
  const last = readRecordedSignature(path)
  if (last !== undefined && !isSignedBy(publicKey, last))
    throw badConfig(
      `${path} is of another key: what it has last was not signed by the key of this validator (${address}). Put back the record of this key; where ` +
        'there is none and no other process has the key, `perihelion network sign-state --raise HEIGHT` with the height of the network lets it go on above that',
    )
  if (own === undefined || !isLater(own, state)) return
  const place = ({ height, round }: SignState): string =>
    own.height === state.height ? `round ${round} of block ${height}` : `block ${height}`
  throw badConfig(
    `${path} is an old copy: it knows of nothing above ${place(state)}, and this home has signed in ${place(own)} with the key of this ` +
      `validator (${address}). Restore the newest one; where there is none and no other process has the key, \`perihelion network sign-state --raise ${own.height}\` ` +
      'lets it continue above that; use the height of the network instead if that is higher',
  )
}

const isSignedBy = (
  publicKey: Uint8Array,
  { bytes, signature }: { readonly bytes: Uint8Array; readonly signature: Uint8Array },
): boolean => {
  const key = createPublicKey({ key: Buffer.concat([spkiHead, publicKey]), format: 'der', type: 'spki' })
  return verify(null, bytes, key, signature)
}
