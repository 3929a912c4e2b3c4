import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { fromBigInt } from '../../base/encoding/bytes.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { Network } from '../../chain/port/network.ts'
import { AnswerSchema, StatusResponseSchema } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { type NativeQueryClient, NativeQueryError } from '../client/nativeQueryClient.ts'
import type { ChainInfo } from '../families/chainInfo.ts'
import type { RemoteDependencies, RemoteOptions } from '../families/remote.ts'
import { openPerihelionRemote } from './remote.ts'

const chainInfo = {
  config: parseChainConfig({ chainId: 1 }),
  earliestState: 1,
  earliestBlock: 1,
} as ChainInfo

const encodeStatus = (minimumGasPrice: bigint): Uint8Array => {
  const status = create(StatusResponseSchema, { minimumGasPrice: fromBigInt(minimumGasPrice, 8) })
  const value = toBinary(StatusResponseSchema, status)
  return toBinary(AnswerSchema, create(AnswerSchema, { outcome: { case: 'value', value } }))
}

test('the lowest price is that of the nodes as they are now, also if they were away at the start', async () => {
  let price: bigint | undefined
  const queries: Partial<NativeQueryClient> = {
    query: async () => {
      if (price === undefined) throw new NativeQueryError('unavailable', 'away')
      return encodeStatus(price)
    },
  }
  const remote = await openPerihelionRemote(
    queries as NativeQueryClient,
    chainInfo,
    10_000,
    new AbortController().signal,
  )
  const options = { minimumGasPrice: 5n } as RemoteOptions
  const { feeRules } = remote.createBackend(options, { queries, chainInfo } as RemoteDependencies)
  expect(await feeRules.minGasPrice()).toBe(5n)
  for (const [ofNodes, least] of [
    [9n, 9n],
    [12n, 12n],
    [3n, 5n],
  ] as const) {
    price = ofNodes
    remote.onHead()
    await eventually(async () => (await feeRules.minGasPrice()) === least)
  }
})

test('states, validators and the status are asked for as long as a query may take', async () => {
  const hung: string[] = []
  const queries: Partial<NativeQueryClient> = {
    query: (path, _request, _height, signal) =>
      new Promise((resolve, reject) => {
        if (hung.length === 0 && path.endsWith('/Status') && !signal.aborted) resolve(encodeStatus(1n))
        signal.addEventListener('abort', () => {
          hung.push(path)
          reject(new NativeQueryError('unavailable', 'no answer'))
        })
      }),
  }
  const dependencies = { queries, chainInfo } as RemoteDependencies
  const remote = await openPerihelionRemote(
    queries as NativeQueryClient,
    chainInfo,
    5,
    new AbortController().signal,
  )
  const { stateAt } = remote.createBackend({ queryTimeout: 5 } as RemoteOptions, dependencies)
  await expect(stateAt(7).nonce(new Uint8Array(20))).rejects.toThrow()
  const network = remote.extendNetwork({} as Network, queries as NativeQueryClient)
  await expect(network.validators(7)).rejects.toThrow()
  remote.onHead()
  await eventually(() => hung.length === 3)
  expect(hung.map((path) => path.split('/').at(-1))).toEqual(['Account', 'Validators', 'Status'])
})
