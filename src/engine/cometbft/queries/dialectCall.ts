import type { CallQuestion } from '../../../chain/port/executor.ts'
import type { TransactionRequest } from '../../../chain/transaction/request.ts'
import { type Codec, CodecError, decodeJson, parseJson, plainObject } from '../../../cosmos/queries/codec.ts'
import { request, stateOverrides } from '../../../cosmos/queries/questions.ts'
import { invalidArgument } from './queryFault.ts'

/** What is asked with arguments as JSON: calls, estimates and traces of them. */
export interface CallArguments {
  readonly args: Uint8Array
  readonly gasCap: bigint
  readonly overrides?: Uint8Array
}

/** geth's call object, in which `input` is the newer name of `data`. */
const callObject: Codec<TransactionRequest> = {
  toJson: request.toJson,
  fromJson: (json, path) => {
    const given = plainObject.fromJson(json, path)
    const { nonce: _, ...members } = given // as in cosmos/evm: the account's own
    return request.fromJson({ ...members, data: given.input ?? given.data }, path)
  },
}

export const readCall = ({ args, gasCap, overrides }: CallArguments): CallQuestion => {
  try {
    const asked = callObject.fromJson(parseJson(args, 'args'), 'args')
    const isCapped = gasCap > 0n && (asked.gas === undefined || asked.gas > gasCap)
    return {
      request: isCapped ? { ...asked, gas: gasCap } : asked,
      stateOverrides:
        overrides === undefined || overrides.length === 0
          ? undefined
          : decodeJson(stateOverrides, overrides, 'overrides'),
    }
  } catch (error) {
    if (error instanceof CodecError) throw invalidArgument(error.message)
    throw error
  }
}
