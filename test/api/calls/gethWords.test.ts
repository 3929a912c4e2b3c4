import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../../support/node.ts'

/** What geth says of calls that cannot be or that fail; clients look for its words and its codes. */

const from = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const sender = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const to = `0x${'77'.repeat(20)}`
const blobHash = `0x01${'11'.repeat(31)}`
const authorization = { chainId: '0x1', address: to, nonce: '0x0', yParity: '0x0', r: '0x1', s: '0x1' }
const most = '0xffffffffffffffff'
const callMethods = ['eth_call', 'eth_estimateGas'] as const

describe('calls in geth’s words', () => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode()
  })
  afterAll(() => node.close())

  const simulation = (call: object, block: object = {}) => ({
    blockStateCalls: [{ calls: [call], ...block }],
  })
  const simulated = async (call: object, block: object = {}) => {
    const [result] = await node.call<{ calls: { status: string; error?: { message: string } }[] }[]>(
      'eth_simulateV1',
      simulation(call, block),
      'latest',
    )
    return result?.calls[0]
  }

  test('a creation with the last nonce does not begin', async () => {
    const creation = { from, data: '0x00', gas: '0x30d40' }
    const overrides = { [from]: { nonce: most, balance: '0xffffffffffffffffff' } }
    for (const method of callMethods)
      expect(await node.failure(method, creation, 'latest', overrides)).toMatchObject({
        code: -32000,
        message: 'nonce uint64 overflow',
      })
    const config = { tracer: 'callTracer', stateOverrides: overrides }
    const trace = await node.call<object>('debug_traceCall', creation, 'latest', config)
    expect(trace).toMatchObject({ type: 'CREATE', error: 'nonce uint64 overflow', gasUsed: '0xcf0e' })
    expect(trace).not.toHaveProperty('to')
    expect(await simulated(creation, { stateOverrides: overrides })).toMatchObject({
      status: '0x0',
      error: { code: -32015, message: 'nonce uint64 overflow' },
    })
    expect(await node.call('eth_call', { from, to }, 'latest', overrides)).toBe('0x')
  })

  test('creations carry neither blobs nor authorizations', async () => {
    const refusals = [
      [{ blobVersionedHashes: [blobHash] }, 'blob transaction of type create'],
      [{ authorizationList: [authorization] }, 'EIP-7702 transaction cannot be used to create contract'],
    ] as const
    for (const [members, message] of refusals) {
      const creation = { from, data: '0x00', ...members }
      for (const method of [...callMethods, 'debug_traceCall'])
        expect(await node.failure(method, creation, 'latest')).toMatchObject({ code: -32000, message })
      expect(await node.failure('eth_simulateV1', simulation(creation), 'latest')).toMatchObject({
        code: -32000,
        message,
      })
    }
  })

  test('what is wrong with blobs and authorizations is an error of its own in simulations', async () => {
    const wrong = [
      [{ blobVersionedHashes: [] }, 'blob transaction missing blob hashes'],
      [{ blobVersionedHashes: [`0x02${'11'.repeat(31)}`] }, 'blob 0 has invalid hash version'],
      [{ blobVersionedHashes: Array(7).fill(blobHash) }, 'blob transaction has too many blobs'],
      [{ authorizationList: [] }, `EIP-7702 transaction with empty auth list (sender ${sender})`],
    ] as const
    for (const [members, message] of wrong) {
      const call = { from, to, gas: '0x30d40', ...members }
      expect(await node.failure('eth_simulateV1', simulation(call), 'latest')).toMatchObject({
        code: -32603,
        message: `err: ${message} (supplied gas 200000)`,
      })
      expect(await node.failure('eth_call', call, 'latest')).toMatchObject({
        code: -32000,
        message: `err: ${message} (supplied gas 200000)`,
      })
    }
  })

  test('blobs without a fee cost nothing in a simulation', async () => {
    const call = { from: `0x${'99'.repeat(20)}`, to, gas: '0x30d40', blobVersionedHashes: [blobHash] }
    expect(await simulated(call)).toMatchObject({ status: '0x1' })
  })

  test('a price past 256 bits is not a number that an error shows', async () => {
    const call = { from, to, gas: '0x30d40', gasPrice: `0x${'f'.repeat(64)}` }
    const message = `insufficient funds for gas * price + value: address ${sender} required balance exceeds 256 bits`
    expect(await node.failure('eth_call', call, 'latest')).toMatchObject({
      message: `err: ${message} (supplied gas 200000)`,
    })
  })

  test('failures have their details, in calls and in simulations', async () => {
    const failures = [
      ['0x0c', 'invalid opcode: opcode 0xc not defined'],
      ['0xfe', 'invalid opcode: INVALID'],
      ['0x600101', 'stack underflow (1 <=> 2)'],
      ['0x5b5f56', 'out of gas'],
      ['0x600164ffffffffff5200', 'out of gas: gas uint64 overflow'],
      ['0x60016dffffffffffffffffffffffffffff5200', 'gas uint64 overflow'],
    ] as const
    for (const [code, message] of failures) {
      const stateOverrides = { [to]: { code } }
      const call = { from, to, gas: '0x7530' }
      expect(await node.failure('eth_call', call, 'latest', stateOverrides)).toMatchObject({
        code: -32000,
        message,
      })
      expect(await simulated(call, { stateOverrides })).toMatchObject({ status: '0x0', error: { message } })
      const estimate = await node.failure('eth_estimateGas', call, 'latest', stateOverrides)
      const isTooLittle = message.startsWith('out of gas')
      expect(estimate.message).toBe(isTooLittle ? 'gas required exceeds allowance (30000)' : message)
    }
    const precompiles = [
      [6, `0x${'ff'.repeat(128)}`, 'invalid fp.Element encoding'],
      [6, `0x${'01'.repeat(128)}`, 'point is not on curve'],
      [8, `0x${'ff'.repeat(100)}`, 'bad elliptic curve pairing size'],
      [9, '0x', 'invalid input length'],
    ] as const
    for (const [number, data, message] of precompiles) {
      const call = { from, to: `0x${'00'.repeat(19)}0${number}`, data, gas: '0x30d40' }
      for (const method of callMethods)
        expect((await node.failure(method, call, 'latest')).message).toBe(message)
      expect(await simulated(call)).toMatchObject({ status: '0x0', error: { message } })
    }
    const large = await node.failure('eth_call', { from, data: '0x6160015ff3', gas: '0x989680' }, 'latest')
    expect(large.message).toBe('max code size exceeded: code size 24577 limit 24576')
  })

  test('BLOCKHASH of a block with the highest number is answered', async () => {
    const code = '0x600143034060005260206000f3'
    const call = { to, gas: '0x30d40' }
    expect(await node.call('eth_call', call, 'latest', { [to]: { code } }, { number: most })).toBe(
      `0x${'00'.repeat(32)}`,
    )
  })
})
