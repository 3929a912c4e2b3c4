import { describe, expect, test } from 'vitest'
import { RecordedQueries, recordedProposer } from '../../../test/gateway/serve/recordedQueries.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { refused } from '../../chain/chainError.ts'
import { type NativeQueryClient, NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { familyNamed } from '../families.ts'
import { ModuleQueryClient } from '../queries/moduleQueryClient.ts'
import type { ExecutionDependencies, NativeBlockContext } from './executionContext.ts'
import { GatewayExecutor } from './gatewayExecutor.ts'

const from = fromHex('0xc6fe5d33615a1c52c08018c47e8bc53646a0e101')
const to = fromHex('0x07aa076883658b7ed99d25b1e6685808372c8fe2')
const never = new AbortController().signal
const at144 = { kind: 'number', number: 144n } as const
const packages = {
  evmPackage: 'cosmos.evm.vm.v1',
  feemarketPackage: 'cosmos.evm.feemarket.v1',
  earliestState: 1,
}

const executorOver = (queries: NativeQueryClient, family = 'cosmos-evm-0.7', timeoutMs = 1000) => {
  const dependencies: ExecutionDependencies = {
    queries: new ModuleQueryClient(queries, packages),
    // The executor uses only these members.
    config: { chainId: 262_144n } as ExecutionDependencies['config'],
    capabilities: familyNamed(family).capabilities,
    resolve: (ref) => (ref.kind === 'number' && ref.number <= 144n ? Number(ref.number) : undefined),
    headNumber: () => 144,
    blockContext: async () => ({ proposer: recordedProposer }) as NativeBlockContext,
  }
  return new GatewayExecutor({ gasCap: 25_000_000n, timeoutMs }, dependencies)
}

const callRequest = (data: string) => ({ request: { from, to, data: fromHex(data) } })

describe('calls as recorded', () => {
  const call = (data: string) => executorOver(new RecordedQueries()).call(callRequest(data), at144, never)

  test('a call gives what it returns, and the gas it used', async () => {
    const outcome = await call('0x2e52d606')
    expect(outcome).toMatchObject({ isSuccess: true, isRevert: false, error: undefined })
    expect(toHex(outcome.output)).toBe(`0x${'7'.padStart(64, '0')}`)
    // This is not half of the limit, which a transaction would be charged.
    expect(outcome.gasUsed).toBeLessThan(100_000n)
  })

  test('a revert comes with its data, or with none', async () => {
    expect(await call('0xa9cc4718')).toMatchObject({ isSuccess: false, isRevert: true })
    expect(toHex((await call('0xa9cc4718')).output)).toMatch(/^0x08c379a0/)
    expect(await call('0xbdd4ad32')).toMatchObject({ isRevert: true, output: new Uint8Array() })
  })

  test('another failure is the machine’s word alone', async () => {
    expect(await call('0x9c3674fc')).toMatchObject({ isRevert: false, error: 'invalid opcode: INVALID' })
  })

  test('an estimate is the gas, the revert, or a rejection without the words of transports', async () => {
    const executor = executorOver(new RecordedQueries())
    const estimate = (data: string) => executor.estimateGas(callRequest(data), at144, never)
    expect(await estimate('0x370158ea')).toEqual({ gas: 21_645n, failure: undefined })
    expect((await estimate('0xa9cc4718')).failure).toMatchObject({ isRevert: true })
    await expect(estimate('0x9c3674fc')).rejects.toEqual(refused('invalid opcode: INVALID'))
  })
})

describe('what a chain does not do', () => {
  const failing = (error: Error): NativeQueryClient => ({
    query: () => Promise.reject(error),
    prove: () => Promise.reject(error),
  })

  test('the oldest family tells that an estimate reverts: the call tells with what', async () => {
    const paths: string[] = []
    const queries: NativeQueryClient = {
      query: async (path) => {
        paths.push(path)
        if (path.endsWith('EstimateGas'))
          throw new NativeQueryError('refused', 'rpc error: code = Unknown desc = execution reverted: 0x')
        // MsgEthereumTxResponse{ret=0xab, vm_error="execution reverted"}
        return Buffer.concat([Buffer.from('1a01ab2212', 'hex'), Buffer.from('execution reverted')])
      },
      prove: () => Promise.reject(new Error('not asked')),
    }
    const outcome = await executorOver(queries, 'ethermint').estimateGas(callRequest('0x00'), at144, never)
    expect(outcome.failure?.isRevert).toBe(true)
    expect([...(outcome.failure?.output ?? [])]).toEqual([0xab])
    expect(paths).toEqual(['/cosmos.evm.vm.v1.Query/EstimateGas', '/cosmos.evm.vm.v1.Query/EthCall'])
  })

  test('overrides are rejected with a reason where the family has none', async () => {
    const executor = executorOver(failing(new Error('not asked')), 'cosmos-evm-0.4')
    const changed = { ...callRequest('0x00'), stateOverrides: [{ address: to, balance: 1n }] }
    await expect(executor.call(changed, at144, never)).rejects.toMatchObject({ kind: 'unsupported' })
    const moved = { ...callRequest('0x00'), blockOverrides: { number: 1n } }
    await expect(executor.call(moved, at144, never)).rejects.toMatchObject({ kind: 'unsupported' })
    expect(() => executor.callMany()).toThrow(/one call at a time/)
    expect(() => executor.simulate()).toThrow(/one call at a time/)
  })

  test('a block that is not there is not asked about', async () => {
    const executor = executorOver(failing(new Error('not asked')))
    const beyond = { kind: 'number', number: 145n } as const
    await expect(executor.call(callRequest('0x00'), beyond, never)).rejects.toMatchObject({
      kind: 'header not found',
    })
  })

  test('a call that takes too long is ended', async () => {
    const slow: NativeQueryClient = {
      query: (_path, _request, _height, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      prove: () => Promise.reject(new Error('not asked')),
    }
    await expect(
      executorOver(slow, 'cosmos-evm-0.7', 50).call(callRequest('0x00'), at144, never),
    ).rejects.toEqual(refused('execution aborted (timeout = 0.05s)'))
  })
})
