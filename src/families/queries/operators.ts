import { create, toBinary } from '@bufbuild/protobuf'
import { bech32 } from '@scure/base'
import { type NativeQueryClient, NativeQueryError, readableAs } from '../../comet/data/nativeQuery.ts'
import { saysAbsent } from '../../comet/data/refusals.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import {
  QueryValidatorAccountRequestSchema,
  QueryValidatorAccountResponseSchema,
} from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { decodeLargeMessage } from '../../cosmos/protobuf.ts'

const addressLength = 20
const zeroAddress = new Uint8Array(addressLength)

const addressOf = (text: string): Uint8Array => {
  const words = bech32.decodeUnsafe(text)?.words
  const bytes = words && bech32.fromWordsUnsafe(words)
  return bytes && bytes.length === addressLength ? bytes : zeroAddress
}

/**
 * Returns the operator address of the validator with a consensus address; zero if the chain does not know it. Operators
 * do not change in practice, so the newest state is used if the old one is pruned. Throws a rejection that says nothing of the
 * validator, as those of proxies.
 */
export const findOperator = async (
  queries: Pick<NativeQueryClient, 'query'>,
  { evmPackage, bech32Prefix }: Pick<ChainInfo, 'evmPackage' | 'bech32Prefix'>,
  consensusAddress: Uint8Array,
  height: number,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const consAddress = bech32.encode(`${bech32Prefix}valcons`, bech32.toWords(consensusAddress))
  const path = `/${evmPackage}.Query/ValidatorAccount`
  const schema = QueryValidatorAccountRequestSchema
  const request = toBinary(schema, create(schema, { consAddress }))
  const isReadable = readableAs(QueryValidatorAccountResponseSchema)
  let refusal: NativeQueryError | undefined
  for (const at of [height, undefined]) {
    try {
      const answer = await queries.query(path, request, at, signal, isReadable)
      return addressOf(decodeLargeMessage(QueryValidatorAccountResponseSchema, answer)?.accountAddress ?? '')
    } catch (error) {
      // A definite error means that there is no operator; an unavailable upstream means nothing.
      if (!(error instanceof NativeQueryError) || error.kind === 'unavailable') throw error
      refusal = error.kind === 'refused' && !saysAbsent(error.message) ? error : undefined
    }
  }
  if (refusal !== undefined) throw refusal
  return zeroAddress
}
