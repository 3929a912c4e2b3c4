import type {
  AccessListOutcome,
  CallBundle,
  CallOutcome,
  CallRequest,
  CallWitness,
  EstimateOutcome,
  WitnessQuestion,
} from '../../chain/port/executor.ts'
import type { TracedCall, TraceListing, TraceOptions } from '../../chain/port/traces.ts'
import {
  type AccountOverride,
  type BlockOverride,
  fromEntries,
  type SlotWords,
  toEntries,
} from '../../chain/state/overrides.ts'
import type { Simulation } from '../../chain/state/simulation.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import {
  address,
  boolean,
  bytes,
  bytesMap,
  type Codec,
  CodecError,
  duration,
  integer,
  list,
  object,
  optional,
  plainObject,
  quantity,
  text,
  textOr,
  unknownJson,
  word,
} from './codec.ts'

/** Codecs of the port's structured requests and responses, in geth's format where geth has one. */

const number = quantity(64)
const amount = quantity(256)

const accessList = list(object({ address, storageKeys: list(word) }))

const authorization = object({
  chainId: amount,
  address,
  nonce: number,
  yParity: integer(255),
  r: amount,
  s: amount,
})

export const transactionRequest: Codec<TransactionRequest> = object({
  from: optional(address),
  to: optional(address),
  gas: optional(number),
  gasPrice: optional(amount),
  maxFeePerGas: optional(amount),
  maxPriorityFeePerGas: optional(amount),
  value: optional(amount),
  nonce: optional(number),
  data: optional(bytes()),
  accessList: optional(accessList),
  chainId: optional(amount),
  type: optional(number),
  maxFeePerBlobGas: optional(amount),
  blobVersionedHashes: optional(list(word)),
  blobs: optional(list(bytes())),
  commitments: optional(list(bytes())),
  proofs: optional(list(bytes())),
  authorizationList: optional(list(authorization)),
})

const entries = bytesMap(32, word)

const slots: Codec<SlotWords> = {
  toJson: (words) => entries.toJson(toEntries(words)),
  fromJson: (json, path) => fromEntries(entries.fromJson(json, path)),
}

const accounts = bytesMap(
  20,
  object({
    nonce: optional(number),
    code: optional(bytes()),
    balance: optional(amount),
    state: optional(slots),
    stateDiff: optional(slots),
    movePrecompileToAddress: optional(address),
  }),
)

export const stateOverrides: Codec<readonly AccountOverride[]> = {
  toJson: (overrides) =>
    accounts.toJson(overrides.map(({ address, ...account }) => [address, withAll(account)])),
  fromJson: (json, path) =>
    accounts.fromJson(json, path).map(([address, account]) => ({ address, ...account })),
}

/** Returns the request with every member named, as the codec needs it. */
const withAll = ({
  nonce,
  code,
  balance,
  state,
  stateDiff,
  movePrecompileToAddress,
}: Omit<AccountOverride, 'address'>) => ({ nonce, code, balance, state, stateDiff, movePrecompileToAddress })

const withdrawal = object({ index: number, validatorIndex: number, address, amount: number })

export const blockOverrides: Codec<BlockOverride> = object({
  number: optional(amount),
  difficulty: optional(amount),
  time: optional(number),
  gasLimit: optional(number),
  feeRecipient: optional(address),
  prevRandao: optional(word),
  baseFeePerGas: optional(amount),
  blobBaseFee: optional(amount),
  beaconRoot: optional(word),
  withdrawals: optional(list(withdrawal)),
})

const overridden = {
  stateOverrides: optional(stateOverrides),
  blockOverrides: optional(blockOverrides),
}

export const callRequest: Codec<CallRequest> = object({ request: transactionRequest, ...overridden })

export const tracedCall: Codec<TracedCall> = object({
  request: transactionRequest,
  ...overridden,
  transactionIndex: optional(integer()),
  following: optional(list(object({ request: transactionRequest, tracerConfig: unknownJson }))),
})

const bundle: Codec<CallBundle> = object({
  requests: list(transactionRequest),
  blockOverrides: optional(blockOverrides),
})

export interface CallManyRequest {
  readonly bundles: readonly CallBundle[]
  readonly stateOverrides?: readonly AccountOverride[] | undefined
}

export const callManyRequest: Codec<CallManyRequest> = object({
  bundles: list(bundle),
  stateOverrides: optional(stateOverrides),
})

export const simulation: Codec<Simulation> = object({
  blocks: list(object({ ...overridden, calls: list(transactionRequest) })),
  traceTransfers: boolean,
  validation: boolean,
  returnFullTransactions: boolean,
})

const listing: Codec<TraceListing> = {
  toJson: (value) => value,
  fromJson: (json, path) => {
    if (json === 'results' || json === 'elements') return json
    throw new CodecError(`${path}: expected results or elements`)
  },
}

export const traceOptions: Codec<TraceOptions> = object({
  tracer: optional(text),
  tracerConfig: unknownJson,
  timeoutMs: optional(duration),
  enableMemory: boolean,
  disableStack: boolean,
  disableStorage: boolean,
  enableReturnData: boolean,
  limit: integer(),
  overrides: optional(plainObject),
  listing: optional(listing),
})

export const callOutcome: Codec<CallOutcome> = object({
  isSuccess: boolean,
  error: optional(text),
  isRevert: boolean,
  output: bytes(),
  gasUsed: number,
})

const estimated = object({ gas: optional(number), failure: optional(callOutcome) })

export const estimateOutcome: Codec<EstimateOutcome> = {
  toJson: ({ gas, failure }) => estimated.toJson({ gas, failure }),
  fromJson: (json, path) => {
    const { gas, failure } = estimated.fromJson(json, path)
    if (gas !== undefined) return { gas, failure: undefined }
    if (failure === undefined) throw new CodecError(`${path}: expected gas or failure`)
    return { gas: undefined, failure }
  },
}

export const accessListOutcome: Codec<AccessListOutcome> = object({
  accessList,
  gasUsed: number,
  error: optional(text),
})

const question = object({ kind: text, call: optional(callRequest), simulation: optional(simulation) })

export const witnessQuestion: Codec<WitnessQuestion> = {
  toJson: (value) =>
    question.toJson(
      value.kind === 'simulate' ? { ...value, call: undefined } : { ...value, simulation: undefined },
    ),
  fromJson: (json, path) => {
    const { kind, call, simulation: simulated } = question.fromJson(json, path)
    if (kind === 'simulate' && simulated !== undefined) return { kind, simulation: simulated }
    if ((kind === 'call' || kind === 'estimate' || kind === 'accessList') && call !== undefined)
      return { kind, call }
    throw new CodecError(`${path}: expected a call or a simulation`)
  },
}

export const callWitness: Codec<CallWitness> = object({
  nodes: list(bytes()),
  codes: list(bytes()),
  oldestHash: optional(integer()),
})

export const callManyOutcome: Codec<readonly (readonly (CallOutcome | string)[])[]> = list(
  list(textOr(callOutcome)),
)
