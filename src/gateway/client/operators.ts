import { create, toBinary } from '@bufbuild/protobuf'
import { bech32 } from '@scure/base'
import {
  QueryValidatorAccountRequestSchema,
  QueryValidatorAccountResponseSchema,
} from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { decodeMessage } from '../../cosmos/protobuf.ts'
import type { ChainFacts } from '../families/chainFacts.ts'
import { type NativeQueries, NativeQueryError } from './nativeQueries.ts'

const addressLength = 20
const nobody = new Uint8Array(addressLength)

const addressOf = (text: string): Uint8Array => {
  const words = bech32.decodeUnsafe(text)?.words
  const bytes = words && bech32.fromWordsUnsafe(words)
  return bytes && bytes.length === addressLength ? bytes : nobody
}

/**
 * The address of who runs the validator with a consensus address; zero where the chain does not know one. An operator
 * does not change in practice, so that the newest state tells where the old is gone.
 */
export const operatorOf = async (
  queries: Pick<NativeQueries, 'query'>,
  { evmPackage, bech32Prefix }: Pick<ChainFacts, 'evmPackage' | 'bech32Prefix'>,
  consensusAddress: Uint8Array,
  height: number,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const consAddress = bech32.encode(`${bech32Prefix}valcons`, bech32.toWords(consensusAddress))
  const schema = QueryValidatorAccountRequestSchema
  const request = toBinary(schema, create(schema, { consAddress }))
  for (const at of [height, undefined]) {
    try {
      const answer = await queries.query(`/${evmPackage}.Query/ValidatorAccount`, request, at, signal)
      return addressOf(decodeMessage(QueryValidatorAccountResponseSchema, answer)?.accountAddress ?? '')
    } catch (error) {
      // Nodes that say no are believed, nodes that say nothing are not.
      if (!(error instanceof NativeQueryError) || error.fault === 'unavailable') throw error
    }
  }
  return nobody
}
