import type { CallRequest } from '../../../chain/port/executor.ts'
import type { TransactionRequest } from '../../../chain/transaction/request.ts'
import { type Codec, CodecError, decodeJson, parseJson, plainObject } from '../../../cosmos/queries/codec.ts'
import { stateOverrides, transactionRequest } from '../../../cosmos/queries/requestCodecs.ts'
import { invalidArgumentError } from './queryError.ts'

/** The arguments of calls, estimates and their traces, as JSON. */
export interface CallArguments {
  readonly args: Uint8Array
  readonly gasCap: bigint
  readonly overrides?: Uint8Array
}

/** Decodes geth's call object, in which `input` is the newer name of `data`. */
const callObject: Codec<TransactionRequest> = {
  toJson: transactionRequest.toJson,
  fromJson: (json, path) => {
    const fields = plainObject.fromJson(json, path)
    const { nonce: _, ...members } = fields // as in cosmos/evm: the account's nonce is used
    return transactionRequest.fromJson({ ...members, data: fields.input ?? fields.data }, path)
  },
}

export const parseCall = ({ args, gasCap, overrides }: CallArguments): CallRequest => {
  try {
    const request = callObject.fromJson(parseJson(args, 'args'), 'args')
    const isCapped = gasCap > 0n && (request.gas === undefined || request.gas > gasCap)
    return {
      request: isCapped ? { ...request, gas: gasCap } : request,
      stateOverrides:
        overrides === undefined || overrides.length === 0
          ? undefined
          : decodeJson(stateOverrides, overrides, 'overrides'),
    }
  } catch (error) {
    if (error instanceof CodecError) throw invalidArgumentError(error.message)
    throw error
  }
}
