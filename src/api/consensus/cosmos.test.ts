import { describe, expect, it } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { RpcError } from '../../rpc/errors.ts'

const ethereum = `0x${'ab'.repeat(32)}`
const native = 'CD'.repeat(32)
const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const asked: number[] = []

const chain = fakeChain({
  blocks: { resolve: (ref) => (ref.kind === 'tag' ? (ref.tag === 'pending' ? 'pending' : 9) : 3) },
  cosmos: {
    bech32Prefix: 'evmos',
    nativeHash: (hash) => (toHex(hash) === ethereum ? fromHex(`0x${native}`) : undefined),
    ethereumHashes: (hash) => (toHex(hash) === `0x${native.toLowerCase()}` ? [fromHex(ethereum)] : undefined),
    block: (number) => {
      asked.push(number)
      return { block: { header: { height: String(number) } } }
    },
    blockResults: () => undefined,
    transaction: (hash) => ({ hash: toHex(hash) }),
  },
})
const call = (method: string, ...params: unknown[]) => callApi(method, params, { chain })

describe('the cosmos namespace', () => {
  it('maps hashes both ways, in every form', async () => {
    expect(await call('cosmos_getTransactionHash', ethereum)).toBe(native)
    expect(await call('cosmos_cosmosTxHashByTxHash', ethereum)).toBe(native.toLowerCase())
    for (const form of [native, native.toLowerCase(), `0x${native}`]) {
      expect(await call('cosmos_getEthereumHash', form)).toBe(ethereum)
      expect(await call('cosmos_txHashByCosmosTxHash', form)).toBe(ethereum)
    }
    expect(await call('cosmos_getTransactionHash', `0x${'00'.repeat(32)}`)).toBeNull()
    expect(await call('cosmos_getEthereumHash', '00'.repeat(32))).toBeNull()
  })

  it('finds a transaction by a hash of either kind', async () => {
    const found = { hash: `0x${native.toLowerCase()}` }
    expect(await call('cosmos_getTransaction', ethereum)).toEqual(found)
    expect(await call('cosmos_getTransaction', native)).toEqual(found)
  })

  it('passes on native blocks, the latest for the pending one', async () => {
    expect(await call('cosmos_getBlock', '0x3')).toEqual({ block: { header: { height: '3' } } })
    await call('cosmos_getBlock')
    await call('cosmos_getBlock', 'pending')
    expect(asked).toEqual([3, 9, 9])
    expect(await call('cosmos_getBlockResults', '0x3')).toBeNull()
  })

  it('writes and reads addresses', async () => {
    const own = await call('cosmos_toBech32', alice)
    expect(own).toMatch(/^evmos1/)
    expect(await call('cosmos_toHex', own)).toBe(alice)
    expect(await call('cosmos_toBech32', alice, 'valcons')).toMatch(/^evmosvalcons1/)
    expect(await call('cosmos_toBech32', alice, 'cosmos')).toBe(
      'cosmos17w0adeg64ky0daxwd2ugyuneellmjgnxramjtq',
    )
    for (const [method, ...params] of [
      ['cosmos_toBech32', alice, 'NOT A PREFIX'],
      ['cosmos_toHex', 'cosmos17w0adeg64ky0daxwd2ugyuneellmjgnxramjtp'],
      ['cosmos_toHex', alice],
      ['cosmos_getTransaction', '0x12'],
    ] as const)
      expect(await call(method, ...params)).toMatchObject({ code: -32602 })
  })

  it('says where there is no native side', async () => {
    const solo = fakeChain({ blocks: { resolve: () => 1 }, cosmos: undefined as never })
    for (const [method, ...params] of [
      ['cosmos_getTransactionHash', ethereum],
      ['cosmos_getEthereumHash', native],
      ['cosmos_toBech32', alice],
      ['cosmos_getBlock', '0x1'],
      ['cosmos_getBlockResults', '0x1'],
      ['cosmos_getTransaction', native],
    ] as const) {
      const error = await callApi(method, params, { chain: solo })
      expect(error).toBeInstanceOf(RpcError)
      expect(error).toMatchObject({ code: -32004 })
    }
    // These need no chain.
    expect(await callApi('cosmos_toBech32', [alice, 'cosmos'], { chain: solo })).toMatch(/^cosmos1/)
  })
})
