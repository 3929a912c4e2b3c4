import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestNode, type TestNode } from '../support/node.ts'

/** Where the stack in the source of a failure is told: a contract that reverts at once, with a source map written by hand. */

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const address = `0x${'ab'.repeat(20)}`
const code = '60006000fd'
const source = 'contract Short {\n  function stop() external {\n    revert();\n  }\n}\n'
const place = `${source.indexOf('revert')}:8:0:-`
const lines = ['at Short.stop (src/Short.sol:3)']

const request = { from: alice, to: address, gas: '0x186a0', data: '0x07da68f5' }

describe.each([0, 1])('with %d serving processes', (workers) => {
  let node: TestNode
  beforeAll(async () => {
    node = await startTestNode('--ephemeral', `--json-rpc.workers=${workers}`)
    await node.call('anvil_setCode', address, `0x${code}`)
    const abi = [{ type: 'function', name: 'stop', inputs: [], outputs: [], stateMutability: 'nonpayable' }]
    const evm = { deployedBytecode: { object: code, sourceMap: `${place};;` } }
    await node.call(
      'hardhat_addCompilationResult',
      '0.8.37',
      { sources: { 'src/Short.sol': { content: source } } },
      { sources: { 'src/Short.sol': { id: 0 } }, contracts: { 'src/Short.sol': { Short: { abi, evm } } } },
    )
  })
  afterAll(() => node.close())

  const answerFor = async (method: string, params: readonly unknown[], userAgent: string) => {
    const response = await fetch(node.http, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as { readonly result?: unknown; readonly error?: unknown }
  }
  const failureFor = async (userAgent: string, method: string): Promise<unknown> =>
    (await answerFor(method, [request], userAgent)).error
  const call = async (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    (await answerFor(method, params, 'viem')).result

  test.each(['eth_call', 'eth_estimateGas'])(
    '%s: in the data of the error for Hardhat alone',
    async (method) => {
      const message = 'Error: Transaction reverted without a reason string'
      expect(await failureFor('hardhat 2.29.1', method)).toEqual({
        code: -32603,
        message,
        data: { message, data: '0x', stackTrace: lines },
      })
      expect(await failureFor('viem', method)).toEqual({ code: 3, message: 'execution reverted', data: '0x' })
    },
  )

  test('a transaction that Hardhat sends', async () => {
    expect(await failureFor('hardhat 2.29.1', 'eth_sendTransaction')).toMatchObject({
      data: { data: '0x', stackTrace: lines },
    })
  })

  test('a trace that asks for it, and the method of its own', async () => {
    const hash = await node.call<string>('eth_sendTransaction', request)
    const trace = (tracerConfig: object) =>
      call('debug_traceTransaction', hash, { tracer: 'callTracer', tracerConfig })
    expect(await trace({ withStackTrace: true })).toMatchObject({
      error: 'execution reverted',
      stackTrace: { lines },
    })
    expect(await trace({})).not.toHaveProperty('stackTrace')
    const config = { tracerConfig: { withStackTrace: true } }
    expect(await call('debug_traceCall', request, 'latest', config)).toMatchObject({
      failed: true,
      stackTrace: { lines },
    })
    const { gas, ...transfer } = { ...request, to: alice, data: '0x' }
    expect(await call('debug_traceCall', transfer, 'latest', config)).not.toHaveProperty('stackTrace')
    expect(await call('perihelion_stackTrace', hash)).toEqual({
      frames: [{ address, contract: 'Short', function: 'stop', file: 'src/Short.sol', line: 3 }],
      lines,
    })
  })
})
