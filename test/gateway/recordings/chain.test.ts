import { create, type DescMessage, fromJson, type JsonObject, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { forkAt } from '../../../src/chain/config/chainConfig.ts'
import { NativeQueryError } from '../../../src/comet/data/nativeQuery.ts'
import { Bech32PrefixResponseSchema } from '../../../src/cosmos/gen/cosmos/auth/v1beta1/query_pb.ts'
import { StatusResponseSchema } from '../../../src/cosmos/gen/cosmos/base/node/v1beta1/query_pb.ts'
import {
  QueryConfigResponseSchema,
  QueryParamsResponseSchema,
} from '../../../src/cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { detectChain } from '../../../src/families/detect/detectChain.ts'
import { chainInfo, recorded } from './recordings.ts'

const schemas: Readonly<Record<string, DescMessage>> = {
  'cosmos.evm.vm.v1.Query/Params': QueryParamsResponseSchema,
  'cosmos.evm.vm.v1.Query/Config': QueryConfigResponseSchema,
  'cosmos.auth.v1beta1.Query/Bech32Prefix': Bech32PrefixResponseSchema,
  'cosmos.base.node.v1beta1.Service/Status': StatusResponseSchema,
}

describe('the recorded chain', () => {
  it('is found out by its answers', async () => {
    const answers: readonly { method: string; height: number | null; response?: JsonObject }[] =
      recorded('native/grpc.json')
    const { node_info: info, sync_info: sync } = recorded('native/status.json')
    const query = async (path: string): Promise<Uint8Array> => {
      const method = path.slice(1)
      // What was not recorded is there, but for what the release has not.
      if (method.endsWith('/TraceCall')) throw new NativeQueryError('refused', 'invalid argument')
      const schema = schemas[method]
      const found = answers.find((answer) => answer.method === method && answer.height === null)
      if (schema === undefined || found?.response === undefined)
        throw new NativeQueryError('unknown path', 'unknown query path: unknown request')
      return toBinary(
        schema,
        fromJson(schema, found.response, { ignoreUnknownFields: true }) ?? create(schema),
      )
    }
    const detected = await detectChain(
      { query, prove: () => Promise.reject(new Error('nothing is proven here')) },
      {
        network: info.network,
        version: info.version,
        earliestHeight: Number(sync.earliest_block_height),
        latestHeight: Number(sync.latest_block_height),
      },
      {},
      AbortSignal.timeout(60_000),
    )
    const { config, ...names } = detected
    const { config: expected, ...expectedNames } = chainInfo
    expect(names).toEqual({ ...expectedNames, needsStateWitness: false })
    expect(config.chainId).toBe(expected.chainId)
    expect(forkAt(config, 1n, 1n)).toBe(forkAt(expected, 1n, 1n))
  })
})
