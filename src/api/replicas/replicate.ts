import { forkAt } from '../../chain/config/chainConfig.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { PeerAnswer, ReplicaPeers } from '../../chain/port/replicas.ts'
import { decodePooledTransaction } from '../../chain/transaction/pooled.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import { replicaOf } from '../../events/filters/filterId.ts'
import { errorCodes, RpcError, unavailable } from '../../rpc/errors.ts'
import type { CallScope } from '../../rpc/method.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import { textAsJson } from '../answers/lookup.ts'
import type { ApiContext } from '../context.ts'
import type { ApiMethod, Shared } from '../method.ts'

const filterTimeoutMs = 10_000
const lookupTimeoutMs = 1_000
/** On top of what the method waits by design. */
const sendTimeoutMs = 10_000

interface ReplicatedCall {
  readonly method: ApiMethod
  readonly args: readonly unknown[]
  readonly given: readonly unknown[]
  readonly context: ApiContext
  readonly peers: ReplicaPeers
  readonly scope: CallScope
  readonly local: () => unknown
}

const toJson = (value: unknown, scope: CallScope): RawJson => {
  const text = JSON.stringify(value ?? null)
  scope.hold(text.length)
  return textAsJson(text)
}

/** Returns the result of a peer's answer; throws its error. */
const resultOf = (answer: PeerAnswer, scope: CallScope): RawJson => {
  if (answer.error === undefined) return toJson(answer.result, scope)
  const { code, message, data } = answer.error
  throw new RpcError(code, message, data)
}

/** Errors of a replica itself, and not of the call: another one may do it. */
const ownErrors: readonly number[] = [
  errorCodes.unavailable,
  errorCodes.methodNotFound,
  errorCodes.unauthorized,
]

const isOwnError = ({ error }: PeerAnswer): boolean => error !== undefined && ownErrors.includes(error.code)

/** Passes a call on a filter to the replica that keeps it. */
const passToKeeper = async (call: ReplicatedCall): Promise<unknown> => {
  const { method, args, given, peers, scope } = call
  const replica = replicaOf(args[0] as bigint) // the method's own type
  // One that nobody knows is gone for good: so is the filter.
  if (replica === peers.self || !peers.has(replica)) return call.local()
  const { caller, signal } = scope
  try {
    const request = { signal, timeoutMs: filterTimeoutMs, client: caller.address }
    const answer = await peers.ask(replica, method.name, given, request)
    if (!isOwnError(answer)) return resultOf(answer, scope)
  } catch (error) {
    if (error instanceof RpcError) throw error
    // By now nobody could have polled it for so long that it has expired.
    if (peers.isGone(replica)) return call.local()
    if (peers.refuses(replica))
      throw unavailable(
        'the replica that keeps this filter refuses this one, whose log says why: make a new filter',
      )
  }
  throw unavailable('the replica that keeps this filter does not answer: poll it again')
}

const isFound = (value: unknown): boolean =>
  value !== null &&
  value !== undefined &&
  value !== '0x' &&
  !(value instanceof Uint8Array && value.length === 0)

/** Returns the number of the block that a transaction is in; undefined if it waits, or is no JSON of one. */
const blockOf = (value: unknown): number | undefined => {
  const { blockNumber } = Object(value) as { blockNumber?: unknown }
  return typeof blockNumber === 'string' ? Number(blockNumber) : undefined
}

/** Returns a transaction as it was before it came into a block. */
const asPending = (value: unknown): unknown => {
  if (blockOf(value) === undefined) return value
  const transaction = value as { readonly gasPrice?: string; readonly maxFeePerGas?: string }
  const { gasPrice, maxFeePerGas = gasPrice } = transaction
  const noBlock = { blockHash: null, blockNumber: null, blockTimestamp: null, transactionIndex: null }
  return { ...transaction, ...noBlock, gasPrice: maxFeePerGas }
}

/**
 * Looks at the other replicas for what is not found here. The height that answers name is that of this one: what is in a block
 * above it waits still, as seen from here, where nobody finds that block or a receipt.
 */
const searchEverywhere = async (call: ReplicatedCall): Promise<unknown> => {
  const { method, given, context, peers, scope, local } = call
  const found = await local()
  if (isFound(found)) return found
  const request = { signal: scope.signal, timeoutMs: lookupTimeoutMs, client: scope.caller.address }
  const elsewhere = (await peers.askAll(method.name, given, request)).filter(isFound)
  if (elsewhere.length === 0) return found
  const head = context.chain.head().number
  const included = elsewhere.find((value) => (blockOf(value) ?? Number.POSITIVE_INFINITY) <= head)
  return toJson(included ?? asPending(elsewhere[0]), scope)
}

const findHighestNonce = async (call: ReplicatedCall): Promise<unknown> => {
  const { method, args, given, peers, scope, local } = call
  const at = args[1] as { kind: string; tag?: string } | undefined // the method's own type
  if (at?.kind !== 'tag' || at.tag !== 'pending') return local()
  const request = { signal: scope.signal, timeoutMs: lookupTimeoutMs, client: scope.caller.address }
  const asked = peers.askAll(method.name, given, request)
  const own = await Promise.resolve(local()).catch((error: unknown) => error)
  const nonces = (await asked).flatMap((nonce) => (typeof nonce === 'string' ? [BigInt(nonce)] : []))
  if (typeof own === 'bigint')
    return nonces.reduce((highest, nonce) => (nonce > highest ? nonce : highest), own)
  if (nonces.length === 0) throw own
  return nonces.reduce((highest, nonce) => (nonce > highest ? nonce : highest))
}

const findSender = (raw: Uint8Array, chain: Chain): Uint8Array | undefined => {
  try {
    const { number, time } = chain.head()
    const fork = forkAt(chain.config, BigInt(number + 1), BigInt(time))
    return recoverSender(decodePooledTransaction(raw).transaction, fork)
  } catch {
    // The pool says what is wrong with it.
    return undefined
  }
}

/**
 * Has the replica send that is responsible for the sender; if it does not answer or cannot, the next one. The bytes are the same
 * wherever they are sent, so that a transaction that two have taken is in one block only.
 */
const sendThere = async (call: ReplicatedCall): Promise<unknown> => {
  const { method, args, given, context, peers, scope } = call
  const sender = findSender(args[0] as Uint8Array, context.chain) // the method's own type
  if (sender === undefined) return call.local()
  const timeoutMs = sendTimeoutMs + (method.maxWaitMs ?? 0)
  for (const replica of peers.ranking(sender)) {
    if (replica === peers.self) return call.local()
    const request = { signal: scope.signal, timeoutMs, client: scope.caller.address }
    const answer = await peers.ask(replica, method.name, given, request).catch(() => undefined)
    if (answer !== undefined && !isOwnError(answer)) return resultOf(answer, scope)
    if (scope.signal.aborted) break
  }
  return call.local()
}

/** How replicas share a method, by what they share of it. */
const sharing: Readonly<Record<Shared, (call: ReplicatedCall) => Promise<unknown>>> = {
  filter: passToKeeper,
  search: searchEverywhere,
  nonce: findHighestNonce,
  send: sendThere,
}

/** Returns a method that asks other replicas where they know more. On a chain without replicas it is the same. */
export const replicate = (method: ApiMethod): ApiMethod => {
  if (method.shared === undefined) return method
  const share = sharing[method.shared]
  return {
    ...method,
    handler: (args, context, scope, given = []) => {
      const local = () => method.handler(args, context, scope, given)
      const peers = context.replicas
      if (peers === undefined) return local()
      return share({ method, args, given, context, peers, scope, local })
    },
  }
}
