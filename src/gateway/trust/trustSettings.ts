import { TrustError, UnknownKeyError } from '../../light/trustError.ts'
import type { RootSettings } from '../../light/verifyHeader.ts'

/** What the settings of the trusted block are called, as messages name them. */
export const rootSettings: RootSettings = { height: 'gateway.trust-height', hash: 'gateway.trust-hash' }

/** Adds to an error of the light client what an operator of a gateway can do, where that is another setting. */
export const withAdvice = (error: unknown): unknown =>
  error instanceof UnknownKeyError
    ? new TrustError(`${error.message}; gateway.verify = false follows without`)
    : error
