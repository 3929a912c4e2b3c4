import { refused } from '../../chain/chainError.ts'
import { gasPerBlob } from '../../chain/fees/blobGas.ts'
import type { EstimateOutcome } from '../../chain/port/executor.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { MessageError, type PreparedMessage } from './message.ts'
import type { Meter } from './meter.ts'
import { type CallSite, GasTooLowError, type Run, toOutcome, transactionGasCap } from './site.ts'

const transferGas = 21_000n
/** What a call that carries value gives its callee on top. */
const callStipend = 2_300n

/** The most gas the transaction may have: by its own word, the block, the fork, the sender's means and the cap. */
const highestGas = (site: CallSite, prepared: PreparedMessage, gasCap: bigint): bigint => {
  const { message, gas, maxFeePerGas, maxFeePerBlobGas } = prepared
  let highest = gas !== undefined && gas >= transferGas ? gas : site.block.gasLimit
  const lower = (limit: bigint | undefined): void => {
    if (limit !== undefined && limit < highest) highest = limit
  }
  lower(transactionGasCap(site.fork))
  if (maxFeePerGas > 0n) {
    const balance = site.world.account(message.from)?.balance ?? 0n
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
 * The least gas with which a transaction succeeds, but never less than it used when it had all that it may have: code
 * that goes on when a call it makes runs out of gas, or that looks at its gas, succeeds with less and does less (geth
 * draws the same line). The most that was used at any time is then nearly always the answer. Otherwise (a call keeps a
 * 64th from its callee, a refund came late) the answer is searched for nearby, by halves.
 */
export const estimateGas = (
  site: CallSite,
  request: TransactionRequest,
  gasCap: bigint,
  meter: Meter,
): EstimateOutcome => {
  const prepared = site.prepare(request)
  const highest = highestGas(site, prepared, gasCap)
  /** Undefined: the gas does not pay for the message itself. */
  const attempt = (gas: bigint): Run | undefined => {
    try {
      return site.run(prepared, gas, meter)
    } catch (error) {
      if (error instanceof GasTooLowError) return undefined
      if (error instanceof MessageError) throw refused(`failed with ${gas} gas: ${error.message}`)
      throw error
    }
  }
  const succeeds = (gas: bigint): boolean => attempt(gas)?.result.success === true

  if (isPlainTransfer(site, prepared) && highest >= transferGas && succeeds(transferGas))
    return { gas: transferGas, failure: undefined }

  const first = attempt(highest)
  if (first === undefined || first.result.error === 'out of gas')
    throw refused(`gas required exceeds allowance (${highest})`)
  if (!first.result.success) return { gas: undefined, failure: toOutcome(first) }

  return { gas: searchLeast(first, highest, succeeds), failure: undefined }
}

/** No code runs, so nothing but the price of a transaction is paid. */
const isPlainTransfer = (site: CallSite, { message }: PreparedMessage): boolean => {
  const { to, data, accessList, authorizationList } = message
  if (to === undefined || data.length > 0 || accessList.length > 0 || authorizationList.length > 0)
    return false
  const codeHash = site.world.account(to)?.codeHash
  return codeHash === undefined || site.world.code(codeHash).length === 0
}

/** `highest` succeeds. */
const searchLeast = (
  { gasUsed, peakGas: peak }: Run,
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
    // Most transactions need little more than what is known to be too little.
    const half = (fails + works) / 2n
    const middle = half > fails * 2n ? fails * 2n : half
    if (succeeds(middle)) works = middle
    else fails = middle
  }
  return works
}
