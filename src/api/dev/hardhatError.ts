import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { describeCustomError, type KnownContracts } from '../../chain/abi/knownContracts.ts'
import { panicCode, revertReason } from '../../chain/abi/revertReason.ts'
import { errorCodes, RpcError } from '../../rpc/errors.ts'
import { stackTraceLines } from '../../solidity/printTrace.ts'
import type { StackTrace } from '../../solidity/stackTrace.ts'

/** An execution that failed. */
export interface FailedExecution {
  /** The EVM's error text. */
  readonly error: string | undefined
  readonly output: Uint8Array
  /** Where it failed in the source, if its contracts are known. */
  readonly stack: StackTrace | undefined
  /** The transaction, if one was sent. */
  readonly hash?: Uint8Array
}

/** The error of an execution that ran out of gas, and of an estimate whose execution did. */
const outOfGas = /\bout of gas\b|^gas required exceeds allowance|^gas uint64 overflow$/

const processing = 'VM Exception while processing transaction:'

/** What Hardhat 2 and 3 say of Solidity's panic codes. */
const panics: ReadonlyMap<bigint, string> = new Map([
  [0x01n, 'Assertion error'],
  [0x11n, 'Arithmetic operation overflowed outside of an unchecked block'],
  [0x12n, 'Division or modulo division by zero'],
  [0x21n, 'Tried to convert a value into an enum, but the value was too big or negative'],
  [0x22n, 'Incorrectly encoded storage byte array'],
  [0x31n, '.pop() was called on an empty array'],
  [0x32n, 'Array accessed at an out-of-bounds or negative index'],
  [0x41n, 'Too much memory was allocated, or an array was created that is too large'],
  [0x51n, 'Called a zero-initialized variable of internal function type'],
])

/** What Hardhat says where the source tells the cause of an empty revert; ours is on the left. */
const causes: readonly (readonly [ours: RegExp, theirs: string])[] = [
  [
    /^there is neither a receive nor .*$/,
    "function selector was not recognized and there's no fallback nor receive function",
  ],
  [
    /^no function has this selector.*$/,
    "function selector was not recognized and there's no fallback function",
  ],
  [
    /^(\d+) wei sent to a fallback function that is not payable, and there is no receive function$/,
    "there's no receive function, fallback function is not payable and was called with value $1",
  ],
  [
    /^(\d+) wei sent to a fallback function that is not payable$/,
    'fallback function is not payable and was called with value $1',
  ],
  [/^(\d+) wei sent to a function that is not payable$/, 'non-payable function was called with value $1'],
  [/^invalid arguments.*$/, 'function was called with incorrect parameters'],
  [/^the called account has no code$/, 'function call to a non-contract account'],
  [/^insufficient balance for transfer$|^max call depth exceeded$/, 'function call failed to execute'],
  [/^the called contract ran out of gas$/, 'contract call run out of gas and made the transaction revert'],
  [/^the called function returned other data .*$/, 'function returned an unexpected amount of data'],
]

/** Returns the error of Hardhat's node for a call, an estimate or a transaction that failed. */
export const hardhatError = (failed: FailedExecution, contracts: KnownContracts): RpcError => {
  const { error, output, stack, hash } = failed
  const isOutOfGas = error !== undefined && outOfGas.test(error)
  const message = isOutOfGas ? 'Transaction ran out of gas' : `Error: ${describe(failed, contracts)}`
  const data = {
    message,
    ...(hash !== undefined && { txHash: toHex(hash) }),
    data: toHex(output),
    ...(stack !== undefined && { stackTrace: stackTraceLines(stack) }),
  }
  return new RpcError(isOutOfGas ? errorCodes.failed : errorCodes.internal, message, data)
}

const describe = ({ error = '', output, stack }: FailedExecution, contracts: KnownContracts): string => {
  const panic = panicCode(output)
  if (panic !== undefined) return `${processing} reverted with ${describePanic(panic)}`
  const reason = revertReason(output)
  if (reason !== undefined) return `${processing} reverted with reason string '${reason}'`
  if (output.length > 0) {
    const custom = describeCustomError(contracts, output, 'quoted')
    return custom === undefined
      ? `${processing} reverted with an unrecognized custom error (return data: ${toHex(output)})`
      : `${processing} reverted with custom error '${custom}'`
  }
  if (error.startsWith('invalid opcode')) return `${processing} invalid opcode`
  const cause = describeCause(error, stack?.cause)
  return cause === undefined
    ? 'Transaction reverted without a reason string'
    : `Transaction reverted: ${cause}`
}

const describePanic = (code: bigint): string => {
  const text = panics.get(code)
  return text === undefined
    ? `unknown panic code ${toQuantity(code)}`
    : `panic code ${toQuantity(code)} (${text})`
}

const describeCause = (error: string, cause: string | undefined): string | undefined => {
  if (error.startsWith('max code size exceeded')) return 'trying to deploy a contract whose code is too large'
  if (cause === undefined) return undefined
  const [ours, theirs] = causes.find(([pattern]) => pattern.test(cause)) ?? []
  return ours === undefined || theirs === undefined ? undefined : cause.replace(ours, theirs)
}
