import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomicallySync } from '../../base/files/atomicFile.ts'
import type { TrustOptions } from '../../light/headerProofs.ts'
import { encodeTrust, parseTrust, type SavedTrust, type TrustStore } from '../../light/savedTrust.ts'
import { TrustError } from '../../light/trustError.ts'

/** What is trusted from the beginning, and the file in which trusted headers are kept. Plain data: it is passed to a thread. */
export interface TrustFileOptions extends TrustOptions {
  readonly path: string
}

/** Keeps trust in a file beside the store. `hasRoot` says whether the operator named a block to trust. */
export const createTrustFile = (path: string, hasRoot: boolean): TrustStore => ({
  load: () => loadTrust(path, hasRoot),
  save: (trust) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileAtomicallySync(path, `${encodeTrust(trust)}\n`, 0o644)
  },
})

const loadTrust = (path: string, hasRoot: boolean): SavedTrust | undefined => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return parseTrust(text)
  } catch (error) {
    const remedy = hasRoot
      ? 'remove it, and trust starts over with the block of gateway.trust-height'
      : 'without it the gateway would trust the first node that it asks; remove it to do that, or set gateway.trust-height and gateway.trust-hash and remove it'
    throw new TrustError(`${path} cannot be read (${(error as Error).message}): ${remedy}`)
  }
}
