import type { WitnessQuestion } from '../../chain/port/executor.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { type Codec, CodecError, optional } from '../../cosmos/queries/codec.ts'
import {
  blockOverrides,
  simulation,
  stateOverrides,
  transactionRequest,
} from '../../cosmos/queries/requestCodecs.ts'
import { invalidParams } from '../lightError.ts'
import { objectAt, objectOf } from '../methods/params.ts'

/** What is to be run, and how an endpoint is asked for its witness. */
export interface GivenQuestion {
  readonly question: WitnessQuestion
  readonly json: Readonly<Record<string, unknown>>
}

type Json = Readonly<Record<string, unknown>>

/** Returns the members that are given: null stands for one that is not. */
const present = (given: Json): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined))

/** Returns a transaction under the one name of each member. */
const usualNames = (given: Json): Json => {
  const { input, gasLimit, type, ...others } = present(given)
  if (others.gas !== undefined && gasLimit !== undefined && others.gas !== gasLimit)
    throw invalidParams('parameter 1: expected gas and gasLimit to be equal where both are given')
  return {
    ...others,
    ...(gasLimit === undefined ? {} : { gas: gasLimit }),
    ...(input === undefined ? {} : { data: input }),
    ...(type === undefined ? {} : { type: typeof type === 'number' ? `0x${type.toString(16)}` : type }),
  }
}

const decode = <Value>(codec: Codec<Value>, json: unknown, at: number): Value => {
  try {
    return codec.fromJson(json, `parameter ${at + 1}`)
  } catch (error) {
    if (error instanceof CodecError) throw invalidParams(error.message)
    throw error
  }
}

const overridesOf = (params: readonly unknown[], at: number) => {
  const given = params[at]
  return given === undefined || given === null
    ? undefined
    : Object.fromEntries(
        Object.entries(objectAt(params, at)).map(([key, one]) => [key, overrideOf(objectOf(one, at), at)]),
      )
}

const overrideOf = (given: Json, at: number): Json => {
  const override = present(given)
  if (override.state !== undefined && override.stateDiff !== undefined)
    throw invalidParams(`parameter ${at + 1}: expected state or stateDiff, not both`)
  return override
}

/** Decodes the parameters of a call, which begin with its transaction. */
export const callOf = (
  method: string,
  kind: 'call' | 'estimate' | 'accessList',
  params: readonly unknown[],
): GivenQuestion => {
  const transaction = usualNames(objectAt(params, 0))
  const state = overridesOf(params, 2)
  const block = kind === 'accessList' || params[3] == null ? undefined : present(objectAt(params, 3))
  return {
    question: {
      kind,
      call: {
        request: decode(transactionRequest, transaction, 0),
        stateOverrides: decode(optional(stateOverrides), state, 2),
        blockOverrides: decode(optional(blockOverrides), block, 3),
      },
    },
    json: {
      method,
      transaction,
      ...(state === undefined ? {} : { stateOverrides: state }),
      ...(block === undefined ? {} : { blockOverrides: block }),
    },
  }
}

/** Returns the same call with other fees. */
export const withFees = ({ question, json }: GivenQuestion, request: TransactionRequest): GivenQuestion => {
  if (question.kind === 'simulate') return { question, json }
  return {
    question: { ...question, call: { ...question.call, request } },
    json: { ...json, transaction: transactionRequest.toJson(request) },
  }
}

const blocksOf = (given: unknown): readonly Json[] => {
  if (!Array.isArray(given) || given.length === 0)
    throw invalidParams('parameter 1: expected an array of blocks')
  return given.map((block: unknown) => {
    const { blockOverrides: header, stateOverrides: state, calls } = objectAt([block], 0)
    if (calls !== undefined && calls !== null && !Array.isArray(calls))
      throw invalidParams('parameter 1: expected an array of transactions')
    return present({
      blockOverrides: header == null ? undefined : present(objectOf(header, 0)),
      stateOverrides: overridesOf([state], 0),
      calls: ((calls ?? []) as readonly unknown[]).map((call) => usualNames(objectAt([call], 0))),
    })
  })
}

/** Decodes the parameters of a simulation. */
export const simulationOf = (params: readonly unknown[]): GivenQuestion => {
  const given = objectAt(params, 0)
  const blocks = blocksOf(given.blockStateCalls)
  const flags = {
    traceTransfers: given.traceTransfers ?? false,
    validation: given.validation ?? false,
    returnFullTransactions: given.returnFullTransactions ?? false,
  }
  return {
    question: { kind: 'simulate', simulation: decode(simulation, { blocks, ...flags }, 0) },
    json: { method: 'eth_simulateV1', simulation: { blockStateCalls: blocks, ...flags } },
  }
}
