import { ed25519 as noble } from '@noble/curves/ed25519.js'
import { lazy } from '../../async/lazy.ts'
import type { SignatureCheck } from '../signing.ts'

const algorithm = 'Ed25519'

/** Returns nothing where the browser does not know the curve, does not take the key, or has no WebCrypto for this page. */
const importKey = async (key: Uint8Array) => {
  try {
    return await crypto.subtle.importKey('raw', key, algorithm, false, ['verify'])
  } catch {
    return undefined
  }
}

/**
 * By WebCrypto, and by noble for what that does not take: browsers differ in what they reject beside forgeries, and what none of
 * them takes may still be valid by ZIP 215.
 */
export const ed25519Check = (key: Uint8Array): SignatureCheck => {
  const imported = lazy(() => importKey(key))
  return async (message, signature) => {
    const native = await imported()
    // A browser that fails to check a signature does not reject it.
    if (native && (await crypto.subtle.verify(algorithm, native, signature, message).catch(() => false)))
      return true
    return noble.verify(signature, message, key, { zip215: true })
  }
}
