import { loadSecret } from '../../rpc/access/secret.ts'
import { createToken } from '../../rpc/access/token.ts'
import { ensureHome } from '../home/homeFolder.ts'

/** Returns a new bearer token for the private methods of the node of a home. A home without a secret gets one. */
export const createAccessToken = (home: string, now: number): string => {
  ensureHome(home)
  return createToken(loadSecret(home), now)
}

/** Returns the secret of a home for a node that has another home; undefined if it cannot be used. */
export const sharedSecret = (home: string): Uint8Array | undefined => {
  try {
    ensureHome(home)
    return loadSecret(home)
  } catch {
    return undefined
  }
}
