import { ed25519Check } from '#platform/ed25519'
import type { SignatureCheck } from '../platform/signing.ts'

/** Apart from the other seam: few threads check such signatures. */
export { ed25519Check, type SignatureCheck }
