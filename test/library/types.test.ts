import { expect, expectTypeOf, test } from 'vitest'
import { createNode, type MethodTypes, type RequestArguments } from '../../src/index.ts'

type Hex = `0x${string}`

test('request knows the parameters and the result of each method', async () => {
  const node = await createNode({ listen: false })
  try {
    const { provider } = node
    const accounts = await provider.request({ method: 'eth_accounts' })
    expectTypeOf(accounts).toEqualTypeOf<Hex[]>()
    const [from = '0x'] = accounts
    const balance = await provider.request({ method: 'eth_getBalance', params: [from, 'latest'] })
    expectTypeOf(balance).toEqualTypeOf<Hex>()
    expect(BigInt(balance)).toBeGreaterThan(0n)
    const hash = await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, to: from, value: '0x1' }],
    })
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    expectTypeOf(receipt?.status).toEqualTypeOf<Hex | undefined>()
    expect(receipt?.status).toBe('0x1')
    const block = await provider.request({ method: 'eth_getBlockByNumber', params: ['0x1', false] })
    expect(block?.transactions).toEqual([hash])

    // A method that the program adds, or that is not known when it is compiled.
    const name: string = 'eth_chainId'
    const unknown = await provider.request({ method: name, params: [] })
    expectTypeOf(unknown).toEqualTypeOf<unknown>()

    // As code has it that passes on what it was given.
    const wrapped: { request(args: { method: string; params?: unknown }): Promise<unknown> } = provider
    expect(await wrapped.request({ method: 'eth_chainId' })).toBe('0x7a69')

    // @ts-expect-error: the parameter is missing
    await expect(provider.request({ method: 'eth_getBalance' })).rejects.toMatchObject({ code: -32602 })
    // @ts-expect-error: no block has this tag
    const wrong: RequestArguments<'eth_getBalance'> = { method: 'eth_getBalance', params: [from, 'newest'] }
    await expect(provider.request(wrong)).rejects.toMatchObject({ code: -32602 })
  } finally {
    await node.close()
  }
})

test('no type is lost in the conversion', () => {
  expectTypeOf<MethodTypes['eth_call']['params'][0]>().not.toBeAny()
  expectTypeOf<MethodTypes['eth_getLogs']['result']>().not.toBeAny()
  expectTypeOf<MethodTypes['eth_getLogs']['result']>().not.toBeUnknown()
  expectTypeOf<MethodTypes['eth_feeHistory']['result']>().not.toBeUnknown()
})
