import { TrustError, UnknownKeyError, UnprovenStoreError } from '../../light/trustError.ts'
import type { RootSettings } from '../../light/verifyHeader.ts'

/** What the settings of the trusted block are called, as messages name them. */
export const rootSettings: RootSettings = { height: 'gateway.trust-height', hash: 'gateway.trust-hash' }

/** Adds to an error of the light client what an operator of a gateway can do, which the light client does not know. */
export const withAdvice = (error: unknown): unknown => {
  if (error instanceof UnknownKeyError)
    return new TrustError(`${error.message}; gateway.verify = false follows without`)
  if (error instanceof UnprovenStoreError)
    return new TrustError(
      `${error.message}; if other nodes say so too, remove data/ of this home and follow the chain again`,
    )
  return error
}
