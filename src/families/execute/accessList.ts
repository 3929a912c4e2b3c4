import { fromBigInt } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { refused, unavailable } from '../../chain/chainError.ts'
import { forkAt } from '../../chain/config/chainConfig.ts'
import { precompileAddressesAt } from '../../chain/config/precompiles.ts'
import type { AccessListOutcome } from '../../chain/port/executor.ts'
import { AccessListBuilder } from '../../chain/transaction/accessListBuilder.ts'
import { contractAddress } from '../../chain/transaction/contractAddress.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { recoverAuthority } from '../../chain/transaction/signature.ts'

import { evmMethods } from '../../cosmos/queries/moduleMethods.ts'
import { hasJson, isAccount } from '../queries/answerValues.ts'
import { accessListTracer, parseAccessed } from './accessListTracer.ts'
import { encodeCall } from './encodeCall.ts'
import type { ChargedOutcome, ExecutionDependencies, NativeBlockContext } from './executionContext.ts'
import { traceCallRequest } from './executionContext.ts'

export interface AccessListDependencies extends ExecutionDependencies {
  /** Executes a call at the height of the access list. */
  readonly call: (request: TransactionRequest) => Promise<ChargedOutcome>
}

/** The number of rounds in which the list may also shrink, and of all rounds. */
const maxFreshRounds = 16
const maxRounds = 32
/** The gas that a call with value adds for its callee. */
const callStipend = 2_300n

/**
 * Creates an access list from traces of the call, each executed with the previous list, until the list does not change
 * (as geth does it).
 */
export const createAccessList = async (
  request: TransactionRequest,
  height: number,
  gasCap: bigint,
  dependencies: AccessListDependencies,
  signal: AbortSignal,
): Promise<AccessListOutcome> => {
  const blockContext = await dependencies.blockContext(height, signal)
  const excluded = await findWarmAddresses(request, height, blockContext, dependencies, signal)
  let known = AccessListBuilder.from(request.accessList ?? [], excluded)
  for (let round = 0; round < maxRounds; round++) {
    const accessList = known.toList()
    const traced = { ...request, accessList }
    const { data } = await dependencies.queries.evm(
      evmMethods.traceCall,
      {
        ...traceCallRequest(blockContext, dependencies.config.chainId, gasCap),
        args: encodeCall(traced),
        traceConfig: { tracer: accessListTracer },
      },
      height,
      signal,
      hasJson,
    )
    const entries = parseAccessed(data)
    if (entries === undefined) throw unavailable("the chain's answer to TraceCall cannot be read")
    // Slots of the recipient that are not accessed are dropped, but only in the first rounds, because code that depends
    // on its gas might never settle.
    const seen = AccessListBuilder.from(accessList, round < maxFreshRounds ? excluded : new Set())
    for (const { address, slot } of entries) {
      if (slot !== undefined) seen.addSlot(address, slot)
      else if (!excluded.has(address)) seen.addAddress(address)
    }
    if (seen.equals(known)) return measureGas(traced, accessList, dependencies)
    known = seen
  }
  throw refused(`the access list does not settle in ${maxRounds} rounds`)
}

/** Returns the addresses that are warm without being listed: sender, recipient, precompiles and authorities. */
const findWarmAddresses = async (
  request: TransactionRequest,
  height: number,
  { header }: NativeBlockContext,
  { queries, config }: AccessListDependencies,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const from = request.from ?? new Uint8Array(20)
  let { to } = request
  if (to === undefined) {
    const account = await queries.evm(evmMethods.account, { address: toHex(from) }, height, signal, isAccount)
    to = contractAddress(from, account.nonce)
  }
  const { params } = await queries.evm(evmMethods.params, {}, height, signal)
  const precompiles = precompileAddressesAt(forkAt(config, header.number, header.timestamp))
  const authorities = (request.authorizationList ?? []).flatMap((authorization) => {
    const authority = recoverAuthority(authorization)
    return authority ? [authority] : []
  })
  return new Set([
    toHex(from),
    toHex(to),
    ...precompiles.map((number) => toHex(fromBigInt(BigInt(number), 20))),
    ...(params?.activeStaticPrecompiles ?? []).map((address) => address.toLowerCase()),
    ...authorities.map(toHex),
  ])
}

/**
 * Measures the gas of the call. The chain charges at least a share of the gas limit and reports only the gas before
 * refunds; with a limit just above the need, that share does not matter and the charged gas is the gas used.
 */
const measureGas = async (
  request: TransactionRequest,
  accessList: AccessListOutcome['accessList'],
  { call }: AccessListDependencies,
): Promise<AccessListOutcome> => {
  const outcome = await call(request)
  if (!outcome.isSuccess) return { accessList, gasUsed: outcome.gasUsed, error: outcome.error }
  const gas = ((outcome.gasUsed + callStipend) * 64n) / 63n
  const exact = await call({ ...request, gas })
  return { accessList, gasUsed: exact.isSuccess ? exact.chargedGas : outcome.gasUsed, error: undefined }
}
