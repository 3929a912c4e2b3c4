import { fromHex } from '../../base/encoding/hex.ts'
import type { Dialect } from '../../rpc/dispatch/dialect.ts'
import { errorCodes, RpcError } from '../../rpc/errors.ts'
import { anvilReason } from './anvilReason.ts'

/** The code of anvil for what its pool rejects. */
const rejected = -32003

interface Wording {
  /** What the message begins with here, in geth's words. */
  readonly ours: RegExp
  readonly code: number
  /** `$1` is the first group of the expression. */
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
    ours: /^(?:err: )?insufficient funds for (?:gas \* price \+ value|transfer)/,
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
  { ours: /^max initcode size exceeded/, code: rejected, message: 'max initcode size exceeded' },
  {
    ours: /^chainId does not match node's \(have=(\d+), want=(\d+)\)/,
    code: errorCodes.invalidParams,
    message: "transaction-provided chain ID ($1) does not match the signer's chain ID ($2)",
  },
  {
    ours: /^err: max priority fee per gas higher than max fee per gas/,
    code: errorCodes.invalidParams,
    message: 'Invalid input: `max_priority_fee_per_gas` greater than `max_fee_per_gas`',
  },
  {
    ours: /^gas required exceeds allowance \((\d+)\)/,
    code: rejected,
    message: 'Out of gas: gas required exceeds allowance: $1',
  },
  ...Object.entries({
    'out of gas': 'OutOfGas',
    'invalid opcode: INVALID': 'InvalidFEOpcode',
    'invalid opcode: opcode': 'OpcodeNotFound',
    'stack underflow': 'StackUnderflow',
    'stack limit reached': 'StackOverflow',
    'invalid jump destination': 'InvalidJump',
    'return data out of bounds': 'OutOfOffset',
    'write protection': 'StateChangeDuringStaticCall',
  }).map(([ours, theirs]) => ({
    ours: new RegExp(`^${ours}`),
    code: errorCodes.internal,
    message: `EVM error ${theirs}`,
  })),
]

const toAnvil = (error: RpcError): RpcError => {
  const { code, message, data } = error
  if (code === errorCodes.methodNotFound) return new RpcError(code, 'Method not found', data)
  if (code === errorCodes.reverted && typeof data === 'string') {
    const reason = anvilReason(fromHex(data))
    return reason === undefined ? error : new RpcError(code, `execution reverted: ${reason}`, data)
  }
  if (code !== errorCodes.failed) return error
  const wording = wordings.find(({ ours }) => ours.test(message))
  if (wording === undefined) return error
  const [start = ''] = wording.ours.exec(message) ?? []
  return new RpcError(wording.code, start.replace(wording.ours, wording.message), data)
}

/** Returns the words of anvil; `onCall` is notified of each call of a client. */
export const createAnvilDialect = (onCall: (method: string) => void): Dialect => ({
  onCall,
  toError: toAnvil,
  // geth's result also has the transaction; anvil's is the signed bytes alone, which is what viem expects.
  toResult: (method, json) =>
    method === 'eth_signTransaction' ? JSON.stringify((JSON.parse(json) as { raw: string }).raw) : json,
})
