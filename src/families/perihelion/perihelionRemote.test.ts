import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { fromBigInt } from '../../base/encoding/bytes.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { Network } from '../../chain/port/network.ts'
import { callTimedOut } from '../../chain/state/callErrors.ts'
import { timeLeft } from '../../comet/client/deadline.ts'
import { type NativeQueryClient, NativeQueryError } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { AnswerSchema, StatusResponseSchema } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import type { RemoteDependencies, RemoteOptions } from '../remote.ts'
import { openPerihelionRemote } from './perihelionRemote.ts'

const never = new AbortController().signal
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
  const remote = await openPerihelionRemote(queries as NativeQueryClient, chainInfo, 10_000, never)
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

test('states, validators and the status are queried as long as a query may take', async () => {
  const hung: string[] = []
  const queries: Partial<NativeQueryClient> = {
    query: (path, _request, _height, signal) =>
      new Promise((resolve, reject) => {
        if (hung.length === 0 && path.endsWith('/Status') && !signal.aborted) resolve(encodeStatus(1n))
        signal.addEventListener('abort', () => {
          hung.push(path)
          reject(new NativeQueryError('unavailable', 'no response'))
        })
      }),
  }
  const dependencies = { queries, chainInfo } as RemoteDependencies
  const remote = await openPerihelionRemote(queries as NativeQueryClient, chainInfo, 5, never)
  const { stateAt } = remote.createBackend({ queryTimeout: 5 } as RemoteOptions, dependencies)
  await expect(stateAt(7).nonce(new Uint8Array(20))).rejects.toThrow()
  const network = remote.extendNetwork({} as Network, queries as NativeQueryClient)
  await expect(network.validators(7)).rejects.toThrow()
  remote.onHead()
  await eventually(() => hung.length === 3)
  expect(hung.map((path) => path.split('/').at(-1))).toEqual(['Account', 'Validators', 'Status'])
})

test('calls end as json-rpc.evm-timeout says, and whoever is asked sees how much time is left', async () => {
  const left: (number | undefined)[] = []
  const queries: Partial<NativeQueryClient> = {
    query: (path, _request, _height, signal) =>
      new Promise((resolve, reject) => {
        if (path.endsWith('/Status')) return resolve(encodeStatus(1n))
        left.push(timeLeft(signal))
        const end = () => reject(new NativeQueryError('unavailable', 'no response'))
        if (signal.aborted) end()
        else signal.addEventListener('abort', end)
      }),
  }
  const dependencies = { queries, chainInfo, resolve: () => 7 } as Partial<RemoteDependencies>
  const remote = await openPerihelionRemote(queries as NativeQueryClient, chainInfo, 10_000, never)
  const { executor } = remote.createBackend(
    { evmTimeout: 50 } as RemoteOptions,
    dependencies as RemoteDependencies,
  )
  const at = { kind: 'tag', tag: 'latest' } as const
  const request = { request: {} }
  const simulation = { blocks: [], traceTransfers: false, validation: false, returnFullTransactions: false }
  const calls = [
    executor.call(request, at, never),
    executor.estimateGas(request, at, never),
    executor.createAccessList(request, at, never),
    executor.callMany([], undefined, at, undefined, never),
    executor.simulate(simulation, at, never),
  ]
  for (const ended of await Promise.allSettled(calls))
    expect(ended).toMatchObject({ status: 'rejected', reason: callTimedOut(50) })
  expect(left.map((milliseconds) => milliseconds !== undefined && milliseconds <= 50)).toEqual(
    calls.map(() => true),
  )
  // Who leaves before is not told of a timeout.
  const leaving = AbortSignal.abort()
  await expect(executor.call(request, at, leaving)).rejects.not.toEqual(callTimedOut(50))
})
