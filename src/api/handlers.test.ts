import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { callApi } from '../../test/support/callApi.ts'
import { fakeChain } from '../../test/support/fakeChain.ts'
import type { ComponentLevel } from '../base/logging/log.ts'
import { callFailed, RpcError } from '../rpc/errors.ts'
import type { TransportOverrides } from '../rpc/transport/overrides.ts'
import type { Transports } from './context.ts'

const code = async (outcome: Promise<unknown>): Promise<number | undefined> => {
  const settled = await outcome
  return settled instanceof RpcError ? settled.code : undefined
}

const message = async (outcome: Promise<unknown>): Promise<string> => {
  const settled = await outcome
  return settled instanceof RpcError ? settled.message : ''
}

test('web3', async () => {
  const clientVersion = 'perihelion/v1.2.3/linux-x64/node20.20.2'
  expect(await callApi('web3_clientVersion', [], { clientVersion })).toBe(clientVersion)
  expect(await callApi('web3_sha3', ['0x'])).toBe(
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
  expect(await code(callApi('web3_sha3', ['0x1']))).toBe(-32602)
  expect(await code(callApi('web3_sha3', []))).toBe(-32602)
  expect(await code(callApi('web3_sha3', ['0x', '0x']))).toBe(-32602)
})

test('rpc', async () => {
  const modules = { eth: '1.0', rpc: '1.0' }
  expect(await callApi('rpc_modules', [], { modules: () => modules })).toEqual(modules)
  expect(await callApi('rpc.discover', [], { openRpc: async () => ({ openrpc: '1.3.2' }) })).toEqual({
    openrpc: '1.3.2',
  })
})

test.each([
  ['eth_protocolVersion', [], '0x44'],
  ['eth_mining', [], false],
  ['eth_hashrate', [], '0x0'],
  ['eth_submitHashrate', [`0x${'0'.repeat(58)}500000`, `0x${'11'.repeat(32)}`], false],
  ['eth_submitWork', ['0x0000000000000001', `0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`], false],
  ['eth_getCompilers', [], []],
  ['miner_getHashrate', [], 0],
  ['miner_stop', [], null],
  ['miner_setGasLimit', ['0x10000'], false],
  ['clique_proposals', [], {}],
])('%s%j is %j', async (name, params, result) => {
  expect(await callApi(name, params)).toEqual(result)
})

test.each([
  ['eth_getWork', /validators/],
  ['eth_compileSolidity', /solc/],
  ['les_serverInfo', /light client/],
  ['les_getCheckpoint', /finalized/],
  ['shh_post', /Waku/],
  ['db_putString', /database of your own/],
  ['miner_start', /consensus engine/],
])('%s is not supported and says what is', async (name, words) => {
  expect(await code(callApi(name, []))).toBe(-32004)
  expect(await message(callApi(name, []))).toMatch(words)
})

test('clique votes name governance', async () => {
  const signer = `0x${'33'.repeat(20)}`
  expect(await message(callApi('clique_propose', [signer, true]))).toMatch(/governance/)
  expect(await message(callApi('clique_discard', [signer]))).toMatch(/governance/)
  expect(await code(callApi('clique_propose', [signer]))).toBe(-32602)
})

describe('personal_ecRecover', () => {
  const key = `0x${'4c'.repeat(32)}` as const
  const account = privateKeyToAccount(key)

  test.each(['', 'hello', 'ünïcödé', 'x'.repeat(1000)])('finds who signed %j', async (text) => {
    const data = `0x${Buffer.from(text).toString('hex')}` as const
    const signature = await account.signMessage({ message: { raw: data } })
    expect(await callApi('personal_ecRecover', [data, signature])).toBe(account.address.toLowerCase())
  })

  test('answers as geth does if the signature is invalid', async () => {
    const signature = await account.signMessage({ message: { raw: '0x00' } })
    const withV = (v: string) => callApi('personal_ecRecover', ['0x00', `${signature.slice(0, -2)}${v}`])
    const notOne = callApi('personal_ecRecover', ['0x00', `0x${'ff'.repeat(64)}1b`])
    expect(await message(callApi('personal_ecRecover', ['0x00', '0x00']))).toBe(
      'signature must be 65 bytes long',
    )
    for (const v of ['00', '01', '1a', '1d']) {
      expect(await message(withV(v))).toBe('invalid Ethereum signature (V is not 27 or 28)')
    }
    expect(await message(notOne)).toBe('recovery failed')
    expect(await code(notOne)).toBe(-32000)
  })
})

describe('miner', () => {
  test('setExtra is never supported, and checks its 32 bytes first', async () => {
    expect(await code(callApi('miner_setExtra', [`0x${'00'.repeat(32)}`]))).toBe(-32004)
    expect(await code(callApi('miner_setExtra', ['some text']))).toBe(-32004)
    expect(await code(callApi('miner_setExtra', [`0x${'00'.repeat(33)}`]))).toBe(-32602)
    expect(await code(callApi('miner_setExtra', ['é'.repeat(17)]))).toBe(-32602)
    expect(await code(callApi('miner_setExtra', [1]))).toBe(-32602)
  })

  test('setGasPrice saves the price', async () => {
    const saved: bigint[] = []
    const saveMinimumGasPrice = async (price: bigint) => void saved.push(price)
    expect(await callApi('miner_setGasPrice', ['0x3b9aca00'], { saveMinimumGasPrice })).toBe(true)
    expect(saved).toEqual([1_000_000_000n])
    expect(await code(callApi('miner_setGasPrice', ['1000'], { saveMinimumGasPrice }))).toBe(-32602)
  })

  test('setGasPrice that cannot be saved is an error', async () => {
    const saveMinimumGasPrice = async () => {
      throw new Error('disk full')
    }
    expect(await code(callApi('miner_setGasPrice', ['0x1'], { saveMinimumGasPrice }))).toBe(-32603)
  })
})

describe('admin', () => {
  const fakeTransports = () => {
    const calls: [name: string, options?: TransportOverrides][] = []
    const transports: Transports = {
      startHttp: async (options) => void calls.push(['startHttp', options]),
      stopHttp: async () => calls.push(['stopHttp']) > 0,
      startWs: async () => {
        throw callFailed('ws server already running on 127.0.0.1:8546')
      },
      stopWs: async () => false,
      isListening: () => calls.length > 0,
    }
    return { calls, transports }
  }

  test('datadir', async () => {
    expect(await callApi('admin_datadir', [], { home: '/home/me/.perihelion' })).toBe('/home/me/.perihelion')
  })

  test('starts and stops transports', async () => {
    const { calls, transports } = fakeTransports()
    const chain = fakeChain({ network: { isListening: false } })
    expect(await callApi('net_listening', [], { transports, chain })).toBe(false)
    const params = ['0.0.0.0', 8545, 'https://a.example, https://b.example', 'eth,net', '']
    expect(await callApi('admin_startRPC', params, { transports })).toBe(true)
    expect(await callApi('admin_startHTTP', [null, 0], { transports })).toBe(true)
    expect(await callApi('admin_stopRPC', [], { transports })).toBe(true)
    expect(await callApi('admin_stopHTTP', [], { transports })).toBe(true)
    expect(await callApi('admin_stopWS', [], { transports })).toBe(false)
    expect(await callApi('net_listening', [], { transports, chain })).toBe(true)
    expect(calls).toEqual([
      [
        'startHttp',
        {
          host: '0.0.0.0',
          port: 8545,
          cors: ['https://a.example', 'https://b.example'],
          apis: ['eth', 'net'],
          vhosts: [],
        },
      ],
      ['startHttp', { host: undefined, port: 0, cors: undefined, apis: undefined, vhosts: undefined }],
      ['stopHttp'],
      ['stopHttp'],
    ])
  })

  test('says where a transport runs already', async () => {
    const { transports } = fakeTransports()
    const again = callApi('admin_startWS', [], { transports })
    expect(await code(again)).toBe(-32000)
    expect(await message(again)).toMatch(/127\.0\.0\.1:8546/)
  })

  test.each([['8545'], [-1], [65_536], [1.5]])('%j is not a port', async (port) => {
    expect(await code(callApi('admin_startRPC', ['127.0.0.1', port]))).toBe(-32602)
  })
})

describe('the log', () => {
  const setUp = () => {
    const set: unknown[] = []
    const log = {
      setVerbosity: (level: number) => void set.push(level),
      setComponentLevels: (levels: readonly ComponentLevel[]) => void set.push(levels),
    }
    return { set, log }
  }

  test('verbosity and parts', async () => {
    const { set, log } = setUp()
    expect(await callApi('debug_verbosity', [4], { log })).toBeNull()
    expect(await callApi('debug_vmodule', ['rpc=5,engine/*=4'], { log })).toBeNull()
    expect(await callApi('debug_vmodule', [''], { log })).toBeNull()
    expect(set).toEqual([
      4,
      [
        { pattern: 'rpc', verbosity: 5 },
        { pattern: 'engine/*', verbosity: 4 },
      ],
      [],
    ])
  })

  test.each(['rpc', 'rpc=6', 'rpc=5,', '=5', 'rpc=5;pool=4', 'r(p)c=5', 5])(
    '%j is not a pattern',
    async (pattern) => {
      expect(await code(callApi('debug_vmodule', [pattern], { log: setUp().log }))).toBe(-32602)
    },
  )
})
