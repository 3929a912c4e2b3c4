import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../../support/node.ts'

/** Members of calls that came with later types of transactions. */

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const target = `0x${'77'.repeat(20)}` as const
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

let node: TestNode
beforeAll(async () => {
  node = await startTestNode()
})
afterAll(() => node.close())

describe('an authorization list (EIP-7702)', () => {
  const authority = privateKeyToAccount(generatePrivateKey())
  /** Returns the address that it runs for. */
  const overrides = { [target]: { code: '0x305f5260205ff3' } }
  const sign = async (chainId: number, nonce: number) => {
    const { r, s, yParity } = await authority.signAuthorization({ chainId, nonce, address: target })
    const quantity = (value: number): Hex => `0x${value.toString(16)}`
    const shortened = (value: Hex): Hex => `0x${BigInt(value).toString(16)}`
    return {
      chainId: quantity(chainId),
      nonce: quantity(nonce),
      address: target,
      yParity: quantity(yParity ?? 0),
      r: shortened(r),
      s: shortened(s),
    }
  }
  const call = (authorizationList: unknown, method = 'eth_call') =>
    node.call<string>(method, { from: alice, to: authority.address, authorizationList }, 'latest', overrides)

  test('delegates before the call begins', async () => {
    const own = `0x${authority.address.slice(2).toLowerCase().padStart(64, '0')}`
    expect(await call(undefined)).toBe('0x')
    expect(await call([await sign(31_337, 0)])).toBe(own)
    expect(await call([await sign(0, 0)])).toBe(own)
  })

  test('for another chain or nonce is passed over', async () => {
    expect(await call([await sign(1, 0)])).toBe('0x')
    expect(await call([await sign(31_337, 1)])).toBe('0x')
  })

  test('costs gas, also where it is passed over', async () => {
    const base = BigInt(await call(undefined, 'eth_estimateGas'))
    expect(BigInt(await call([await sign(1, 0)], 'eth_estimateGas'))).toBeGreaterThanOrEqual(base + 25_000n)
    expect(await call([await sign(31_337, 0)], 'eth_estimateGas')).toMatch(/^0x/)
  })

  test('needs an entry and a recipient', async () => {
    const authorizationList = [await sign(31_337, 0)]
    const failure = async (request: object) => (await node.failure('eth_call', request)).message
    expect(await failure({ to: target, authorizationList: [] })).toMatch(/empty auth list/)
    expect(await failure({ data: '0x00', authorizationList })).toMatch(/cannot be used to create contract/)
  })
})

describe('versioned hashes of blobs (EIP-4844)', () => {
  const hashes = [`0x01${'ab'.repeat(31)}`, `0x01${'cd'.repeat(31)}`]
  /** Returns the hash with the index in the call data. */
  const overrides = { [target]: { code: '0x5f35495f5260205ff3' } }
  const call = (index: number, blobVersionedHashes: unknown, more: object = {}) => [
    { to: target, data: word(index), blobVersionedHashes, ...more },
    'latest',
    overrides,
  ]

  test('are what BLOBHASH gives', async () => {
    expect(await node.call('eth_call', ...call(0, hashes))).toBe(hashes[0])
    expect(await node.call('eth_call', ...call(1, hashes))).toBe(hashes[1])
    expect(await node.call('eth_call', ...call(2, hashes))).toBe(word(0))
    expect(await node.call('eth_call', ...call(0, undefined))).toBe(word(0))
  })

  test('that no transaction could have are refused', async () => {
    const failure = async (...params: readonly unknown[]) =>
      (await node.failure('eth_call', ...params)).message
    expect(await failure(...call(0, []))).toMatch(/missing blob hashes/)
    expect(await failure(...call(0, [`0x02${'ab'.repeat(31)}`]))).toMatch(/blob 0 has invalid hash version/)
    expect(
      await failure(
        ...call(
          0,
          Array.from({ length: 7 }, () => hashes[0]),
        ),
      ),
    ).toMatch(/too many blobs/)
    expect(await failure({ data: '0x00', blobVersionedHashes: hashes })).toMatch(/type create/)
    const poor = { from: target, maxFeePerBlobGas: '0x1' }
    expect(await failure(...call(0, hashes, poor))).toMatch(/^err: insufficient funds/)
  })
})

describe('the fees of eth_createAccessList', () => {
  /** Reads the slot that the price of gas names. */
  const overrides = { [target]: { code: '0x3a54' } }
  const pays = (more: object) => [{ from: alice, to: target, ...more }, 'latest', overrides]
  const slotOf = async (more: object) => {
    const { accessList } = await node.call<{ accessList: { storageKeys: string[] }[] }>(
      'eth_createAccessList',
      ...pays(more),
    )
    return BigInt(accessList[0]?.storageKeys[0] ?? 0)
  }
  const failure = async (more: object) => (await node.failure('eth_createAccessList', ...pays(more))).message

  test('are those of a transaction where they are left out', async () => {
    const tip = BigInt(await node.call<string>('eth_maxPriorityFeePerGas'))
    const { baseFeePerGas } = await node.call<{ baseFeePerGas: string }>('eth_getHeaderByNumber', 'latest')
    expect(await slotOf({})).toBe(tip + BigInt(baseFeePerGas))
    expect(await slotOf({ maxPriorityFeePerGas: '0x7' })).toBe(7n + BigInt(baseFeePerGas))
    expect(await slotOf({ gasPrice: '0x77359400' })).toBe(2_000_000_000n)
  })

  test('have to be paid', async () => {
    expect(await failure({ from: target })).toMatch(/insufficient funds for gas \* price \+ value/)
    expect(await failure({ gasPrice: '0x0' })).toBe('gasPrice must be non-zero after london fork')
    const none = { maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }
    expect(await failure(none)).toBe('maxFeePerGas must be non-zero')
  })
})
