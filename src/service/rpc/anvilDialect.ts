import type { Dialect } from '../../rpc/dispatch/dialect.ts'
import { errorCodes, RpcError } from '../../rpc/errors.ts'

/** The code of anvil for what its pool rejects. */
const rejected = -32003

interface Wording {
  /** What the message begins with here, in geth's words. */
  readonly ours: RegExp
  readonly code: number
  readonly message: string
}

/** What anvil 1.7 says, where programs compare code or text. */
const wordings: readonly Wording[] = [
  { ours: /^unknown account$/, code: errorCodes.invalidParams, message: 'No Signer available' },
  { ours: /^nonce too low/, code: rejected, message: 'nonce too low' },
  { ours: /^already known/, code: rejected, message: 'transaction already imported' },
  {
    ours: /^replacement transaction underpriced/,
    code: rejected,
    message: 'replacement transaction underpriced',
  },
  {
    ours: /^insufficient funds for gas \* price \+ value/,
    code: rejected,
    message: 'Insufficient funds for gas * price + value',
  },
  { ours: /^intrinsic gas too low/, code: errorCodes.failed, message: 'intrinsic gas too low' },
  {
    ours: /^(?:transaction gas limit too high|exceeds block gas limit)/,
    code: errorCodes.failed,
    message: 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit',
  },
  {
    ours: /^transaction type not supported|^invalid transaction: (?!no transaction)/,
    code: errorCodes.invalidParams,
    message: 'Failed to decode transaction',
  },
  {
    ours: /^invalid transaction: no transaction/,
    code: errorCodes.invalidParams,
    message: 'Empty transaction data',
  },
]

/** Returns the words of anvil; `onCall` is notified of each call of a client. */
export const createAnvilDialect = (onCall: (method: string) => void): Dialect => ({
  onCall,
  toError: (error) => {
    if (error.code !== errorCodes.failed) return error
    const wording = wordings.find(({ ours }) => ours.test(error.message))
    return wording === undefined ? error : new RpcError(wording.code, wording.message, error.data)
  },
})
