import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { bech32 } from '@scure/base'
import { describe, expect, it, vi } from 'vitest'
import { forkAt } from '../../chain/config/chainConfig.ts'
import { type NativeQueryClient, NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { settings } from '../../config/settings/settings.ts'
import { Bech32PrefixResponseSchema } from '../../cosmos/gen/cosmos/auth/v1beta1/query_pb.ts'
import { StatusResponseSchema } from '../../cosmos/gen/cosmos/base/node/v1beta1/query_pb.ts'
import { GetNodeInfoResponseSchema } from '../../cosmos/gen/cosmos/base/tendermint/v1beta1/query_pb.ts'
import {
  ChainConfigSchema,
  QueryConfigResponseSchema,
  QueryCosmosAccountResponseSchema,
  QueryParamsResponseSchema,
} from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { QueryParamsResponseSchema as EthermintParamsResponseSchema } from '../../cosmos/gen/ethermint/evm/v1/query_pb.ts'
import {
  AnswerSchema,
  GenesisResponseSchema,
  StatusResponseSchema as PerihelionStatusSchema,
} from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import { createThreadLog } from '../../gateway/follow/threadLog.ts'
import { cosmosEvm05 } from '../cosmosEvm05.ts'
import { families } from '../families.ts'
import type { Family } from '../family.ts'
import type { ChainOverrides, DetectionStatus } from './chainProbe.ts'
import { detectChain } from './detectChain.ts'

/** Returns the name of a setting, which must exist if an error advises to use it. */
const setting = (name: keyof typeof settings): string => {
  expect(Object.keys(settings)).toContain(name)
  return name
}

/** Encodes a field of protobuf that has a length. */
const bytesField = (number: number, value: Uint8Array): Buffer => {
  const length = value.length < 128 ? [value.length] : [(value.length & 127) | 128, value.length >> 7]
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), value])
}

type Answer = (height: number | undefined) => Uint8Array

const says =
  <Desc extends DescMessage>(schema: Desc, fields: MessageInitShape<Desc>): Answer =>
  () =>
    toBinary(schema, create(schema, fields))

const answer = <Desc extends DescMessage>(schema: Desc, fields: MessageInitShape<Desc>): Answer =>
  says(AnswerSchema, { outcome: { case: 'value', value: says(schema, fields)(undefined) } })

const refuses: Answer = () => {
  throw new NativeQueryError('refused', 'invalid request')
}

/** Creates a chain that knows these queries and no others. */
const chain = (answers: Readonly<Record<string, Answer>>) => {
  const paths: string[] = []
  const queries: NativeQueryClient = {
    query: async (path, _request, height) => {
      paths.push(path)
      const answer = answers[path]
      if (answer === undefined) throw new NativeQueryError('unknown path', 'unknown query path')
      return answer(height)
    },
    prove: () => Promise.reject(new Error('not requested')),
  }
  return { queries, paths }
}

const status: DetectionStatus = { network: '9001', version: '0.38.19', earliestHeight: 1, latestHeight: 1000 }

const detect = (
  answers: Readonly<Record<string, Answer>>,
  overrides: ChainOverrides = {},
  said: DetectionStatus = status,
) => detectChain(chain(answers).queries, said, overrides, AbortSignal.timeout(60_000))

const blocks = {
  homesteadBlock: '0',
  daoForkBlock: '0',
  daoForkSupport: true,
  eip150Block: '0',
  eip155Block: '0',
  eip158Block: '0',
  byzantiumBlock: '0',
  constantinopleBlock: '0',
  petersburgBlock: '0',
  istanbulBlock: '0',
  muirGlacierBlock: '0',
  berlinBlock: '0',
  londonBlock: '0',
  arrowGlacierBlock: '0',
  grayGlacierBlock: '0',
  mergeNetsplitBlock: '0',
}

const cosmosEvm = {
  '/cosmos.evm.vm.v1.Query/Params': says(QueryParamsResponseSchema, {
    params: { evmDenom: 'atest', extendedDenomOptions: { extendedDenom: 'stake' } },
  }),
  '/cosmos.evm.vm.v1.Query/Config': says(QueryConfigResponseSchema, {
    config: {
      ...blocks,
      chainId: 262144n,
      denom: 'atest',
      decimals: 18n,
      shanghaiTime: '0',
      cancunTime: '0',
      pragueTime: '100',
    },
  }),
  '/cosmos.evm.vm.v1.Query/TraceCall': refuses,
  '/cosmos.auth.v1beta1.Query/Bech32Prefix': says(Bech32PrefixResponseSchema, { bech32Prefix: 'cosmos' }),
  '/cosmos.base.node.v1beta1.Service/Status': says(StatusResponseSchema, { earliestStoreHeight: 12n }),
}

const built = (version: string, sum = 'h1:abc='): Answer =>
  says(GetNodeInfoResponseSchema, {
    applicationVersion: { buildDeps: [{ path: 'github.com/cosmos/evm', version, sum }] },
  })
const nodeInfo = '/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo'

const ethermint = {
  '/ethermint.evm.v1.Query/Params': says(EthermintParamsResponseSchema, {
    params: {
      evmDenom: 'aevmos',
      chainConfig: {
        ...blocks,
        daoForkBlock: '-1',
        daoForkSupport: false,
        shanghaiBlock: '0',
        cancunBlock: '0',
      },
    },
  }),
  '/ethermint.evm.v1.Query/CosmosAccount': says(QueryCosmosAccountResponseSchema, {
    cosmosAddress: bech32.encodeFromBytes('evmos', new Uint8Array(20)),
  }),
}
const evmos: DetectionStatus = { ...status, network: 'evmos_9001-2', version: '0.34.27' }

describe('detectChain', () => {
  it('tells a chain of cosmos/evm by its queries', async () => {
    const chainInfo = await detect(cosmosEvm)
    expect(chainInfo).toMatchObject({
      family: 'cosmos-evm-0.5',
      nativeChainId: '9001',
      feeDenom: 'atest',
      decimals: 18,
      bech32Prefix: 'cosmos',
      evmPackage: 'cosmos.evm.vm.v1',
      feemarketPackage: 'cosmos.evm.feemarket.v1',
      earliestBlock: 1,
      earliestState: 12,
      hasAppMempool: false,
    })
    expect(chainInfo.config.chainId).toBe(262144n)
    expect(chainInfo.config.daoFork).toEqual({ block: 0n, isSupported: true })
    expect(forkAt(chainInfo.config, 1n, 99n)).toBe('cancun')
    expect(forkAt(chainInfo.config, 1n, 100n)).toBe('prague')
  })

  it('waits for a module that has no configuration yet: until its first block after a start it panics', async () => {
    const path = '/cosmos.evm.vm.v1.Query/Config'
    let panics = 2
    const { queries } = chain({
      ...cosmosEvm,
      [path]: (height) => {
        if (panics-- > 0)
          throw new NativeQueryError(
            'refused',
            'runtime error: invalid memory address or nil pointer dereference: panic',
          )
        return (cosmosEvm[path] as Answer)(height)
      },
    })
    const { config } = await detectChain(queries, status, {}, AbortSignal.timeout(60_000))
    expect(config.chainId).toBe(262144n)
  })

  it('waits for all of them together no longer than for one, and says so', async () => {
    vi.useFakeTimers()
    try {
      const panics = new Map<string, number>()
      const { queries } = chain(
        Object.fromEntries(
          Object.entries(cosmosEvm).map(([path, answer]) => [
            path,
            (height: number | undefined) => {
              const count = (panics.get(path) ?? 0) + 1
              panics.set(path, count)
              if (count <= 60 && !path.endsWith('Params'))
                throw new NativeQueryError('refused', 'nil pointer dereference: panic')
              return answer(height)
            },
          ]),
        ),
      )
      const lines: string[] = []
      const log = createThreadLog(({ text }) => lines.push(text))
      const detected = detectChain(queries, status, {}, new AbortController().signal, log).then(
        () => 'detected',
        (error: Error) => error.message,
      )
      await vi.advanceTimersByTimeAsync(900)
      expect(lines).toEqual([])
      await vi.advanceTimersByTimeAsync(31_000)
      expect(await Promise.race([detected, 'still waiting'])).toContain('panic')
      expect(lines).toHaveLength(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('tells 0.7 by its engine, whose mempool is the application', async () => {
    expect(await detect(cosmosEvm, {}, { ...status, version: '0.39.0' })).toMatchObject({
      family: 'cosmos-evm-0.7',
      hasAppMempool: true,
    })
  })

  const { '/cosmos.evm.vm.v1.Query/TraceCall': _, ...older } = cosmosEvm

  it.each([
    ['v1.0.0-rc2', 'cosmos-evm-0.1'],
    ['v0.1.0', 'cosmos-evm-0.1'],
    ['v0.3.2', 'cosmos-evm-0.1'],
    ['v0.4.1', 'cosmos-evm-0.4'],
  ])('the release %s is %s', async (version, family) => {
    expect((await detect({ ...older, [nodeInfo]: built(version) })).family).toBe(family)
    // The queries that a chain answers count more than its release.
    expect((await detect({ ...cosmosEvm, [nodeInfo]: built(version) })).family).toBe('cosmos-evm-0.5')
  })

  it('does not guess between 0.4 and those before it', async () => {
    await expect(detect(older)).rejects.toThrow(setting('gateway.family'))
    for (const version of ['v0.5.0', 'v0.0.0-20250701120000-0123456789ab', 'v2.0.0'])
      await expect(detect({ ...older, [nodeInfo]: built(version) })).rejects.toThrow(
        setting('gateway.family'),
      )
    await expect(detect({ ...older, [nodeInfo]: built('v0.2.0', '') })).rejects.toThrow(
      setting('gateway.family'),
    )
    expect((await detect(older, { family: 'cosmos-evm-0.4' })).family).toBe('cosmos-evm-0.4')
  })

  it('tells Ethermint, its chain id by the name of the chain and its prefix by an address', async () => {
    const chainInfo = await detect(ethermint, {}, evmos)
    expect(chainInfo).toMatchObject({
      family: 'ethermint',
      feeDenom: 'aevmos',
      decimals: 18,
      bech32Prefix: 'evmos',
      evmPackage: 'ethermint.evm.v1',
      feemarketPackage: 'ethermint.feemarket.v1',
    })
    expect(chainInfo.config.chainId).toBe(9001n)
    expect(chainInfo.config.daoFork).toBeUndefined()
    // Its parameters have a place for later forks, but its EVM does not have them.
    expect(forkAt(chainInfo.config, 500n, 0n)).toBe('paris')
    expect(Object.keys(chainInfo.config.source)).not.toContain('shanghaiTime')
    await expect(detect(ethermint, {}, { ...evmos, network: 'testing' })).rejects.toThrow(
      setting('gateway.chain-id'),
    )
    expect(
      (await detect(ethermint, { evmChainId: 7n }, { ...evmos, network: 'testing' })).config.chainId,
    ).toBe(7n)
  })

  it('reads the parameters of Evmos, which have permissions where others have addresses', async () => {
    const list = Array.from({ length: 3 }, (_, index) =>
      bytesField(2, Buffer.from(`0x${`0${index}`.repeat(20)}`)),
    )
    const permissions = bytesField(1, Buffer.concat(list))
    const denom = bytesField(1, Buffer.from('aevmos'))
    const config = bytesField(5, toBinary(ChainConfigSchema, create(ChainConfigSchema, blocks)))
    const params = Buffer.concat([denom, config, bytesField(9, permissions)])
    const answers = { ...ethermint, '/ethermint.evm.v1.Query/Params': () => bytesField(1, params) }
    expect((await detect(answers, {}, evmos)).feeDenom).toBe('aevmos')
    // cosmos/evm had the same fields at first; later ones have a flag in place of the forks.
    for (const bytes of [params, Buffer.concat([denom, Buffer.from([0x28, 1])])]) {
      const early = {
        ...older,
        [nodeInfo]: built('v0.1.0'),
        '/cosmos.evm.vm.v1.Query/Params': () => bytesField(1, bytes),
      }
      expect((await detect(early)).feeDenom).toBe('aevmos')
    }
  })

  it('knows no fork that the EVM of a family cannot have', async () => {
    const config = says(QueryConfigResponseSchema, {
      config: {
        ...blocks,
        chainId: 5n,
        decimals: 18n,
        shanghaiTime: '0',
        cancunTime: '0',
        pragueTime: '0',
        osakaTime: '0',
      },
    })
    const answers = { ...older, '/cosmos.evm.vm.v1.Query/Config': config, [nodeInfo]: built('v0.4.0') }
    expect(forkAt((await detect(answers)).config, 1n, 1n)).toBe('prague')
    const newer = { ...cosmosEvm, '/cosmos.evm.vm.v1.Query/Config': config }
    expect(forkAt((await detect(newer)).config, 1n, 1n)).toBe('osaka')
  })

  it('finds the lowest state by asking where no query tells it', async () => {
    const params: Answer = (height) => {
      if (height !== undefined && height < 377) throw new NativeQueryError('pruned', 'pruned')
      return ethermint['/ethermint.evm.v1.Query/Params'](height)
    }
    const { queries, paths } = chain({ ...ethermint, '/ethermint.evm.v1.Query/Params': params })
    const chainInfo = await detectChain(queries, evmos, {}, AbortSignal.timeout(60_000))
    expect(chainInfo.earliestState).toBe(377)
    expect(paths.length).toBeLessThan(20)
  })

  it('pays in what extends a coin of fewer decimals', async () => {
    const config = (decimals: bigint): Answer =>
      says(QueryConfigResponseSchema, { config: { ...blocks, chainId: 5n, denom: 'utest', decimals } })
    const path = '/cosmos.evm.vm.v1.Query/Config'
    expect(await detect({ ...cosmosEvm, [path]: config(6n) })).toMatchObject({
      feeDenom: 'stake',
      decimals: 6,
    })
    const bare = says(QueryParamsResponseSchema, { params: { evmDenom: 'utest' } })
    const silent = { ...cosmosEvm, [path]: config(6n), '/cosmos.evm.vm.v1.Query/Params': bare }
    await expect(detect(silent)).rejects.toThrow(setting('gateway.fee-denom'))
    expect((await detect(silent, { feeDenom: 'atest' })).feeDenom).toBe('atest')
    await expect(detect({ ...cosmosEvm, [path]: config(19n) })).rejects.toThrow('19 decimals')
  })

  it('tells a Perihelion chain by what no other answers', async () => {
    const config = Buffer.from(JSON.stringify({ chainId: 31337, ...Object.fromEntries(forkNumbers) }))
    const chainInfo = await detect({
      ...cosmosEvm,
      '/perihelion.v1.Query/Genesis': answer(GenesisResponseSchema, { config }),
      '/perihelion.v1.Query/Status': answer(PerihelionStatusSchema, { oldestState: 0n }),
    })
    expect(chainInfo).toMatchObject({
      family: 'perihelion',
      feeDenom: 'aperihelion',
      decimals: 18,
      evmPackage: 'cosmos.evm.vm.v1',
      earliestState: 0,
      hasAppMempool: false,
    })
    expect(chainInfo.config.chainId).toBe(31337n)
    await expect(
      detect({
        ...cosmosEvm,
        '/perihelion.v1.Query/Genesis': answer(GenesisResponseSchema, { config: Buffer.from('{') }),
      }),
    ).rejects.toThrow('is not JSON')
  })

  const forkNumbers = Object.entries(blocks).flatMap(([name, at]) =>
    typeof at === 'string' && !name.startsWith('dao') ? [[name, Number(at)] as const] : [],
  )

  it('says what to name where there is no EVM, and when the forks are not understood', async () => {
    await expect(detect({})).rejects.toThrow(setting('gateway.evm-package'))
    const odd = says(QueryConfigResponseSchema, {
      config: { londonBlock: '5', berlinBlock: '6', chainId: 5n },
    })
    const answers = { ...cosmosEvm, '/cosmos.evm.vm.v1.Query/Config': odd }
    await expect(detect(answers)).rejects.toThrow(setting('gateway.forks'))
    const forks = { chainId: 1, ...Object.fromEntries(forkNumbers) }
    expect((await detect(answers, { forks, evmChainId: 5n })).config).toMatchObject({ chainId: 5n })
  })

  it('takes no other chain id than the chain tells, and any where it tells none', async () => {
    const other = 'gateway.chain-id has the chain id 9001, and the nodes are of chain id 262144'
    await expect(detect(cosmosEvm, { evmChainId: 9001n })).rejects.toThrow(other)
    expect((await detect(cosmosEvm, { evmChainId: 262144n })).config.chainId).toBe(262144n)
    const forks = { chainId: 3, ...Object.fromEntries(forkNumbers) }
    await expect(detect(cosmosEvm, { forks })).rejects.toThrow('the file of gateway.forks has the chain id 3')
    const lines: string[] = []
    const log = createThreadLog(({ text }) => lines.push(text))
    const { signal } = new AbortController()
    const named = await detectChain(chain(ethermint).queries, evmos, { evmChainId: 7n }, signal, log)
    expect(named.config.chainId).toBe(7n)
    expect(lines).toEqual([expect.stringContaining('not the chain id in the name')])
    const genesis = Buffer.from(JSON.stringify({ chainId: 31337, ...Object.fromEntries(forkNumbers) }))
    const own = {
      '/perihelion.v1.Query/Genesis': answer(GenesisResponseSchema, { config: genesis }),
      '/perihelion.v1.Query/Status': answer(PerihelionStatusSchema, { oldestState: 0n }),
    }
    await expect(detect({ ...cosmosEvm, ...own }, { evmChainId: 1n })).rejects.toThrow('chain id 31337')
  })

  it.each([
    ['stratos.evm.v2', undefined, 'stratos.feemarket.v2'],
    ['stratos.evm.vm.v12', undefined, 'stratos.evm.feemarket.v12'],
    ['stratos.evm.v2', 'stratos.market.v1', 'stratos.market.v1'],
  ])('tells a family by its package %s; its fee market: %s', async (evmPackage, named, feemarketPackage) => {
    const stratos: Family = {
      ...cosmosEvm05,
      name: 'stratos',
      evmPackage,
      ...(named === undefined ? {} : { feemarketPackage: named }),
      detection: {
        by: 'queries',
        matches: async (probe) => (await probe.evmModule()).evmPackage === evmPackage,
      },
    }
    const answers = Object.fromEntries(
      Object.entries(cosmosEvm).map(([path, answer]) => [
        path.replace('cosmos.evm.vm.v1', evmPackage),
        answer,
      ]),
    )
    const table = families as Family[] // an array that nobody has frozen
    table.unshift(stratos)
    try {
      expect(await detect(answers)).toMatchObject({ family: 'stratos', evmPackage, feemarketPackage })
      const byHand = { feemarketPackage: 'stratos.fees.v1' }
      expect(await detect(answers, byHand)).toMatchObject(byHand)
    } finally {
      table.shift()
    }
  })

  it('takes every fact by hand', async () => {
    const overrides = {
      family: 'cosmos-evm-0.4',
      evmPackage: 'stratos.evm.v1',
      feemarketPackage: 'stratos.market.v1',
      feeDenom: 'wei',
      decimals: 6,
      bech32Prefix: 'st',
      earliestBlock: 7,
      earliestState: 9,
      hasAppMempool: true,
    } as const
    const params = ethermint['/ethermint.evm.v1.Query/Params']
    const forks = { chainId: 3, ...Object.fromEntries(forkNumbers) }
    const chainInfo = await detect({ '/stratos.evm.v1.Query/Params': params }, { ...overrides, forks })
    expect(chainInfo).toMatchObject(overrides)
  })

  it('passes on that no node answers', async () => {
    const down: Answer = () => {
      throw new NativeQueryError('unavailable', 'no node answers')
    }
    await expect(detect({ '/cosmos.evm.vm.v1.Query/Params': down })).rejects.toThrow('no node answers')
    const trace = { ...cosmosEvm, '/cosmos.evm.vm.v1.Query/TraceCall': down }
    await expect(detect(trace)).rejects.toThrow('no node answers')
  })
})
