import { refused } from '../../chain/chainError.ts'
import { transactionGasCap } from '../../chain/config/limits.ts'
import { gasPerBlob } from '../../chain/fees/blobGas.ts'
import type { EstimateOutcome } from '../../chain/port/executor.ts'
import { transferGas } from '../../chain/transaction/intrinsicGas.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { ExecutionBudget } from './budget.ts'
import { type CallEnvironment, type ExecutedCall, GasTooLowError } from './callEnvironment.ts'
import { MessageError, type PreparedMessage } from './callMessage.ts'

/** The gas that a callee gets in addition if the call transfers value. */
const callStipend = 2_300n

/**
 * Returns the most gas that the transaction may have: its gas limit, or else the block's, but no more than the fork, the
 * sender's balance and the cap allow.
 */
const maxGasLimit = (environment: CallEnvironment, prepared: PreparedMessage, gasCap: bigint): bigint => {
  const { message, gas, maxFeePerGas, maxFeePerBlobGas } = prepared
  let highest = gas !== undefined && gas >= transferGas ? gas : environment.block.gasLimit
  const lower = (limit: bigint | undefined): void => {
    if (limit !== undefined && limit < highest) highest = limit
  }
  lower(transactionGasCap(environment.limits, environment.fork))
  if (maxFeePerGas > 0n) {
    const balance = environment.state.account(message.from)?.balance ?? 0n
    if (message.value >= balance) throw refused('insufficient funds for transfer')
    const blobs = BigInt(message.blobVersionedHashes.length) * gasPerBlob * maxFeePerBlobGas
    const available = balance - message.value
    if (blobs > 0n && blobs >= available) throw refused('insufficient funds for gas * price + value')
    lower((available - blobs) / maxFeePerGas)
  }
  lower(gasCap)
  return highest
}

/**
 * Returns the least gas with which a transaction succeeds, but never less than it used when it had the most that it may
 * have. The reason: code that continues after an inner call ran out of gas, or that reads its gas, succeeds with less
 * gas and does less (geth has the same limit). The peak of that first run is nearly always the result. Otherwise (a
 * call keeps a 64th from its callee, a refund came late) a binary search near the peak finds it.
 */
export const estimateGas = (
  environment: CallEnvironment,
  request: TransactionRequest,
  gasCap: bigint,
  budget: ExecutionBudget,
): EstimateOutcome => {
  const prepared = environment.prepare(request)
  const highest = maxGasLimit(environment, prepared, gasCap)
  /** Returns undefined if the gas does not cover the intrinsic gas of the message. */
  const attempt = (gas: bigint): ExecutedCall | undefined => {
    try {
      return environment.run(prepared, gas, budget)
    } catch (error) {
      if (error instanceof GasTooLowError) return undefined
      if (error instanceof MessageError) throw refused(`failed with ${gas} gas: ${error.message}`)
      throw error
    }
  }
  const succeeds = (gas: bigint): boolean => attempt(gas)?.result.success === true

  if (isPlainTransfer(environment, prepared) && highest >= transferGas && succeeds(transferGas))
    return { gas: transferGas, failure: undefined }

  const first = attempt(highest)
  const notEnough = `gas required exceeds allowance (${highest})`
  if (first === undefined) throw refused(notEnough)
  if (!first.result.success) {
    const failure = environment.describe(first, prepared, highest, budget)
    // No gas is enough for a memory whose size is not a number of 64 bits, and geth says that instead.
    const isOutOfGas = failure.error?.startsWith('out of gas') === true
    return { gas: undefined, failure: isOutOfGas ? { ...failure, error: notEnough } : failure }
  }
  return { gas: searchGasLimit(first, highest, succeeds), failure: undefined }
}

/** Returns whether no code runs, so that only the intrinsic gas is paid. */
const isPlainTransfer = (environment: CallEnvironment, { message }: PreparedMessage): boolean => {
  const { to, data, accessList, authorizationList } = message
  if (to === undefined || data.length > 0 || accessList.length > 0 || authorizationList.length > 0)
    return false
  const codeHash = environment.state.account(to)?.codeHash
  return codeHash === undefined || environment.state.code(codeHash).length === 0
}

/** Searches for the least gas that succeeds. `highest` is known to succeed. */
const searchGasLimit = (
  { gasUsed, peakGas: peak }: ExecutedCall,
  highest: bigint,
  succeeds: (gas: bigint) => boolean,
): bigint => {
  let fails = gasUsed - 1n
  let works = highest
  if (peak >= highest || succeeds(peak)) {
    works = peak < highest ? peak : highest
    if (works === gasUsed || !succeeds(works - 1n)) return works
    works -= 1n
  } else {
    fails = peak
    const likely = ((peak + callStipend) * 64n) / 63n
    if (likely < highest) {
      if (succeeds(likely)) works = likely
      else fails = likely
    }
  }
  while (fails + 1n < works) {
    // Most transactions need little more than the highest gas that is known to fail.
    const half = (fails + works) / 2n
    const middle = half > fails * 2n ? fails * 2n : half
    if (succeeds(middle)) works = middle
    else fails = middle
  }
  return works
}
