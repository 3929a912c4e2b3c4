import { fromBigInt } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { refused, unavailable } from '../../chain/chainError.ts'
import { forkAt } from '../../chain/config/chainConfig.ts'
import { precompileAddressesAt } from '../../chain/config/precompiles.ts'
import type { AccessListOutcome } from '../../chain/port/executor.ts'
import { AccessListSet } from '../../chain/transaction/accessListSet.ts'
import { contractAddress } from '../../chain/transaction/contractAddress.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { recoverAuthority } from '../../chain/transaction/signature.ts'

import { evmMethods } from '../../cosmos/queries/moduleMethods.ts'
import { accessListTracer, readSeen } from './accessListTracer.ts'
import { encodeCall } from './callJson.ts'
import { traceCallRequest } from './callTrace.ts'
import type { ChargedOutcome } from './gatewayExecutor.ts'
import type { ExecutionDependencies, HeightFacts } from './site.ts'

export interface AccessListDependencies extends ExecutionDependencies {
  /** Runs at the height that the list is made at. */
  readonly call: (request: TransactionRequest) => Promise<ChargedOutcome>
}

/** Rounds in which the list may also shrink, and all of them. */
const maxFreshRounds = 16
const maxRounds = 32
/** What a call that carries value gives its callee on top. */
const callStipend = 2_300n

/** The list is taken from a trace of the call, run with the list before, until it stays the same (as geth does it). */
export const createAccessList = async (
  request: TransactionRequest,
  height: number,
  gasCap: bigint,
  dependencies: AccessListDependencies,
  signal: AbortSignal,
): Promise<AccessListOutcome> => {
  const facts = await dependencies.heightFacts(height, signal)
  const excluded = await findExcluded(request, height, facts, dependencies, signal)
  let known = AccessListSet.from(request.accessList ?? [], excluded)
  for (let round = 0; round < maxRounds; round++) {
    const accessList = known.toList()
    const traced = { ...request, accessList }
    const { data } = await dependencies.queries.evm(
      evmMethods.traceCall,
      {
        ...traceCallRequest(facts, dependencies.config.chainId, gasCap),
        args: encodeCall(traced),
        traceConfig: { tracer: accessListTracer },
      },
      height,
      signal,
    )
    const entries = readSeen(data)
    if (entries === undefined) throw unavailable("the chain's answer to TraceCall cannot be read")
    // Slots of the recipient go when they are not looked at, unless code that looks at its gas would never settle.
    const seen = AccessListSet.from(accessList, round < maxFreshRounds ? excluded : new Set())
    for (const { address, slot } of entries) {
      if (slot !== undefined) seen.addSlot(address, slot)
      else if (!excluded.has(address)) seen.addAddress(address)
    }
    if (seen.equals(known)) return measure(traced, accessList, dependencies)
    known = seen
  }
  throw refused(`the access list does not settle in ${maxRounds} rounds`)
}

/** What is warm without being listed: sender, recipient, precompiles and who authorizes. */
const findExcluded = async (
  request: TransactionRequest,
  height: number,
  { header }: HeightFacts,
  { queries, config }: AccessListDependencies,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const from = request.from ?? new Uint8Array(20)
  let { to } = request
  if (to === undefined) {
    const account = await queries.evm(evmMethods.account, { address: toHex(from) }, height, signal)
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
 * The chain charges at least a share of the gas limit, and tells what was used only before refunds. With a limit just
 * above what is needed that share does not count, and what is charged is what is used.
 */
const measure = async (
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
