import { readMempoolError } from '../../../comet/data/mempoolErrors.ts'
import { isLimit } from '../../../comet/data/refusals.ts'
import { CometError } from '../../../comet/data/replyEnvelope.ts'
import { RateLimitError, TransportError } from '../../../comet/data/transportErrors.ts'

/** Codes of the system for connections that did not come about. */
const noConnection = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ERR_TLS_CERT_ALTNAME_INVALID'.split(' '),
)
/** JSON-RPC's codes for requests that were not executed: not JSON, no request, an unknown method, wrong parameters. */
const unexecuted = new Set([-32_700, -32_600, -32_601, -32_602])

/** Returns whether an error of `broadcast_tx_sync` proves that the node does not have the transaction from this call. */
export const isUndelivered = (error: unknown): boolean => {
  if (error instanceof RateLimitError) return true
  if (error instanceof TransportError) return noConnection.has(error.code ?? '')
  if (!(error instanceof CometError)) return false
  return unexecuted.has(error.code) || isLimit(error) || readMempoolError(error.message) !== undefined
}
