import type {
  AccessListOutcome,
  CallBundle,
  CallOutcome,
  CallQuestion,
  EstimateOutcome,
} from '../../chain/port/executor.ts'
import type { TracedCall, TraceOptions } from '../../chain/port/traces.ts'
import type { AccountOverride, BlockOverride } from '../../chain/state/overrides.ts'
import type { Simulation } from '../../chain/state/simulation.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import {
  address,
  anything,
  byKey,
  bytes,
  type Codec,
  CodecError,
  duration,
  flag,
  list,
  object,
  optional,
  plainObject,
  quantity,
  text,
  textOr,
  whole,
  word,
} from './codec.ts'

/** The structured questions of the port and their answers, in geth's shapes where geth has them. */

const number = quantity(64)
const amount = quantity(256)

const accessList = list(object({ address, storageKeys: list(word) }))

const authorization = object({
  chainId: amount,
  address,
  nonce: number,
  yParity: whole(255),
  r: amount,
  s: amount,
})

export const request: Codec<TransactionRequest> = object({
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

const slots = byKey(32, word)

const accounts = byKey(
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

/** Every member by name, as the codec wants them. */
const withAll = ({
  nonce,
  code,
  balance,
  state,
  stateDiff,
  movePrecompileToAddress,
}: Omit<AccountOverride, 'address'>) => ({ nonce, code, balance, state, stateDiff, movePrecompileToAddress })

const withdrawal = object({ index: number, validatorIndex: number, address, amount: number })

const blockOverrides: Codec<BlockOverride> = object({
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

export const callQuestion: Codec<CallQuestion> = object({ request, ...overridden })

export const tracedCall: Codec<TracedCall> = object({
  request,
  ...overridden,
  transactionIndex: optional(whole()),
})

const bundle: Codec<CallBundle> = object({
  requests: list(request),
  blockOverrides: optional(blockOverrides),
})

export interface ManyQuestion {
  readonly bundles: readonly CallBundle[]
  readonly stateOverrides?: readonly AccountOverride[] | undefined
}

export const manyQuestion: Codec<ManyQuestion> = object({
  bundles: list(bundle),
  stateOverrides: optional(stateOverrides),
})

export const simulation: Codec<Simulation> = object({
  blocks: list(object({ ...overridden, calls: list(request) })),
  traceTransfers: flag,
  validation: flag,
  returnFullTransactions: flag,
})

export const traceOptions: Codec<TraceOptions> = object({
  tracer: optional(text),
  tracerConfig: anything,
  timeoutMs: optional(duration),
  enableMemory: flag,
  disableStack: flag,
  disableStorage: flag,
  enableReturnData: flag,
  limit: whole(),
  overrides: optional(plainObject),
})

export const callOutcome: Codec<CallOutcome> = object({
  isSuccess: flag,
  error: optional(text),
  isRevert: flag,
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

export const manyOutcome: Codec<readonly (readonly (CallOutcome | string)[])[]> = list(
  list(textOr(callOutcome)),
)
