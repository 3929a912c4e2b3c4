import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unpackChain } from '../../geth/traces/fixtures.ts'
import { serveChain } from '../../support/programs/chainFiles.ts'
import type { RpcClient } from '../../support/rpc/rpcClient.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { exceptions, loadAnvil, normalizeDiff, normalizeTraces } from './anvil.ts'
import { checkBlock, Findings } from './checkBlock.ts'
import { checkCalls } from './checkCalls.ts'
import { checkCoins } from './checkCoins.ts'
import { checkPrestate } from './checkState.ts'
import { checkStates } from './checkStates.ts'
import { checkSteps } from './checkSteps.ts'
import type { CallFrame, OpcodeLog, Replayed, Trace } from './types.ts'

type LocalizedTrace = Trace & {
  readonly blockNumber: number
  readonly transactionHash: string
  readonly transactionPosition: number
}

const kinds = ['trace', 'stateDiff', 'vmTrace']
const quantity = (number: number): string => `0x${number.toString(16)}`

describe('traces in the format of Parity', () => {
  let folder: string
  let own: { readonly client: RpcClient; close(): Promise<void> }
  let head = 0

  beforeAll(async () => {
    folder = temporaryHome()
    const flags = ['--json-rpc.api=eth,debug,trace', '--json-rpc.trace-timeout=60s']
    own = await serveChain(unpackChain(folder), join(folder, 'served'), flags)
    head = Number(await own.client.call('eth_blockNumber'))
  })

  afterAll(async () => {
    await own.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const replay = (number: number) =>
    own.client.call<readonly Replayed[]>('trace_replayBlockTransactions', quantity(number), kinds)

  test(
    'agree with the call tracer, the prestate tracer and the opcode log on every transaction',
    slow,
    async () => {
      const found = new Findings()
      for (let number = 1; number <= head; number++) found.add(await checkBlock(own.client, number))
      const { wrong, types, errors, count } = found
      expect(wrong.slice(0, 20)).toEqual([])
      expect(count).toBeGreaterThan(200)
      expect([...types].sort()).toEqual(['call', 'create', 'suicide'])
      for (const error of [
        'Reverted',
        'Out of gas',
        'Bad instruction',
        'Stack underflow',
        'Bad jump destination',
      ])
        expect(errors).toContain(error)
    },
  )

  test('tell changes that lead from the state before a block to the state after it', slow, async () => {
    const wrong: string[] = []
    for (let number = 1; number <= head; number += 3)
      wrong.push(...(await checkStates(own.client, number, await replay(number))))
    expect(wrong.slice(0, 20)).toEqual([])
  })

  test('are what anvil said of the same transactions in the same blocks', slow, async () => {
    const said = loadAnvil()
    const wrong: unknown[] = []
    let count = 0
    for (let number = 1; number <= head; number++)
      for (const { transactionHash = '', trace, stateDiff } of await replay(number)) {
        const theirs = said[transactionHash]
        if (theirs === undefined) continue
        count++
        const [calls, diff] = [normalizeTraces(trace), normalizeDiff(stateDiff)]
        const isSame =
          isDeepStrictEqual(calls, normalizeTraces(theirs.trace)) &&
          isDeepStrictEqual(diff, normalizeDiff(theirs.stateDiff))
        if (isSame === transactionHash in exceptions)
          wrong.push({ transactionHash, trace, stateDiff, theirs })
      }
    expect(wrong.slice(0, 5)).toEqual([])
    expect(count).toBe(Object.keys(said).length)
    expect(count).toBeGreaterThan(200)
  })

  test('are the same by block, by transaction, by position and by filter', slow, async () => {
    for (const number of [1, 5, 17, head]) {
      const placed = await own.client.call<readonly LocalizedTrace[]>('trace_block', quantity(number))
      const replayed = await replay(number)
      const bare = placed.map(({ action, error, result, subtraces, traceAddress, type }) => ({
        action,
        ...(error !== undefined && { error }),
        result,
        subtraces,
        traceAddress,
        type,
      }))
      expect(bare).toEqual(replayed.flatMap(({ trace }) => trace))
      const range = { fromBlock: quantity(number), toBlock: quantity(number) }
      expect(await own.client.call('trace_filter', range)).toEqual(placed)
      for (const [index, { transactionHash }] of replayed.entries()) {
        const alone = placed.filter((trace) => trace.transactionHash === transactionHash)
        expect(alone.every(({ transactionPosition }) => transactionPosition === index)).toBe(true)
        expect(await own.client.call('trace_transaction', transactionHash)).toEqual(alone)
        expect(await own.client.call('trace_get', transactionHash, ['0x0'])).toEqual(alone[0])
        expect(await own.client.call('trace_get', transactionHash, [alone.length])).toBe(null)
        const { transactionHash: _, ...rest } = replayed[index] as Replayed
        expect(await own.client.call('trace_replayTransaction', transactionHash, kinds)).toEqual(rest)
      }
    }
  })

  test('a filter gives what a scan of all blocks gives', slow, async () => {
    const all: LocalizedTrace[] = []
    for (let number = 1; number <= head; number++)
      all.push(...(await own.client.call<readonly LocalizedTrace[]>('trace_block', quantity(number))))
    const fromOf = ({ action }: Trace) => action.from ?? action.address
    const toOf = ({ action, result }: Trace) => action.to ?? action.refundAddress ?? result?.address
    const senders = [...new Set(all.map(fromOf))].slice(0, 6) as string[]
    const recipients = [...new Set(all.map(toOf))].filter((each) => each !== undefined).slice(3, 9)
    const isFrom = (trace: Trace) => senders.includes(fromOf(trace) as string)
    const isTo = (trace: Trace) => recipients.includes(toOf(trace) as string)
    const ask = (filter: object) => own.client.call('trace_filter', { fromBlock: '0x0', ...filter })
    expect(await ask({ fromAddress: senders })).toEqual(all.filter(isFrom))
    expect(await ask({ toAddress: recipients })).toEqual(all.filter(isTo))
    const both = { fromAddress: senders, toAddress: recipients }
    expect(await ask(both)).toEqual(all.filter((trace) => isFrom(trace) || isTo(trace)))
    expect(await ask({ ...both, mode: 'intersection' })).toEqual(
      all.filter((trace) => isFrom(trace) && isTo(trace)),
    )
    expect(await ask({ fromAddress: senders, after: 5, count: 7 })).toEqual(all.filter(isFrom).slice(5, 12))
    expect(await ask({ fromAddress: senders, count: 0 })).toEqual([])
    expect(await ask({ after: all.length })).toEqual([])
  })

  test('of calls are those of the transactions that they become', async () => {
    for (const number of [2, 9, 21]) {
      const { transactions } = await own.client.call<{
        readonly transactions: readonly {
          from: string
          to: string | null
          input: string
          value: string
          gas: string
        }[]
      }>('eth_getBlockByNumber', quantity(number), true)
      const calls = transactions.map(({ from, to, input, value, gas }) => ({
        from,
        ...(to !== null && { to }),
        data: input,
        value,
        gas,
      }))
      const many = await own.client.call<readonly Replayed[]>(
        'trace_callMany',
        calls.map((call) => [call, ['trace', 'vmTrace']]),
        quantity(number - 1),
      )
      const one = await own.client.call<Replayed>(
        'trace_call',
        calls[0],
        ['trace', 'vmTrace'],
        quantity(number - 1),
      )
      expect(many).toHaveLength(calls.length)
      expect(many[0]).toEqual(one)
    }
  })

  test('of calls see the changes of those before them', async () => {
    const [from, to] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`]
    const rich = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
    const value = '0x64'
    const [first, second] = await own.client.call<readonly Replayed[]>('trace_callMany', [
      [{ from: rich, to: from, value }, ['stateDiff']],
      [{ from, to, value }, ['stateDiff', 'trace']],
    ])
    expect(first?.stateDiff[from]?.balance).toEqual({ '+': value })
    expect(first?.trace).toEqual([])
    expect(second?.stateDiff[from]?.balance).toEqual({ '*': { from: value, to: '0x0' } })
    expect(second?.stateDiff[to]?.balance).toEqual({ '+': value })
    const alone = await own.client.send('trace_call', [{ from, to, value }, ['trace']])
    expect(alone.error?.message).toMatch(/insufficient funds/)
  })

  test('what is not there is null, empty or an error', async () => {
    const unknown = `0x${'00'.repeat(31)}07`
    expect(await own.client.call('trace_transaction', unknown)).toBe(null)
    expect(await own.client.call('trace_get', unknown, ['0x0'])).toBe(null)
    expect(await own.client.call('trace_block', '0x0')).toEqual([])
    expect(await own.client.call('trace_replayBlockTransactions', 'earliest', kinds)).toEqual([])
    const messageOf = async (method: string, ...params: unknown[]) =>
      (await own.client.send(method, params)).error
    expect(await messageOf('trace_replayTransaction', unknown, kinds)).toEqual({
      code: -32000,
      message: 'transaction not found',
    })
    expect((await messageOf('trace_block', '0xffffff'))?.message).toBe('block #16777215 not found')
    expect((await messageOf('trace_replayTransaction', unknown, ['gas']))?.code).toBe(-32602)
    expect((await messageOf('trace_filter', { fromBlock: '0x5', toBlock: '0x4' }))?.code).toBe(-32602)
    expect((await messageOf('trace_filter', { toBlock: '0xffffff' }))?.code).toBe(-32602)
    expect((await messageOf('trace_filter', { fromBlock: '0x7fffffffffffffff' }))?.message).toContain(
      'fromBlock 0x7fffffffffffffff is after',
    )
  })
})

describe('the checker', () => {
  const top: CallFrame = {
    type: 'CALL',
    from: '0x1',
    to: '0x20',
    gas: '0x9',
    gasUsed: '0x1',
    input: '0x',
    value: '0x0',
  }
  const trace: Trace = {
    action: { callType: 'call', from: '0x1', to: '0x20', gas: '0x5', input: '0x', value: '0x0' },
    result: { gasUsed: '0x1', output: '0x' },
    subtraces: 0,
    traceAddress: [],
    type: 'call',
  }

  test('notices every member of a trace that is another one', () => {
    expect(checkCalls([trace], top)).toEqual([])
    for (const name of Object.keys(trace.action))
      expect(checkCalls([{ ...trace, action: { ...trace.action, [name]: '0x77' } }], top), name).not.toEqual(
        [],
      )
    for (const change of [{ subtraces: 1 }, { traceAddress: [0] }, { type: 'create' }, { error: 'Reverted' }])
      expect(checkCalls([{ ...trace, ...change }], top)).not.toEqual([])
    expect(checkCalls([{ ...trace, result: { gasUsed: '0x1', output: '0x01' } }], top)).not.toEqual([])
    expect(checkCalls([], top)).not.toEqual([])
  })

  test('notices steps and changes that are others', () => {
    const log: OpcodeLog = {
      failed: false,
      returnValue: '0x',
      structLogs: [
        { pc: 0, op: 'PUSH1', gas: 100, gasCost: 3, depth: 1, stack: [] },
        { pc: 2, op: 'STOP', gas: 97, gasCost: 0, depth: 1, stack: ['0x5'] },
      ],
    }
    const ex = { mem: null, push: ['0x5'], store: null, used: 97 }
    const push = { pc: 0, op: 'PUSH1', idx: '0', cost: 3, sub: null, ex }
    const stop = { pc: 2, op: 'STOP', idx: '1', cost: 0, sub: null, ex: { ...ex, push: [] } }
    const steps = (first: object, code = '0x6005') =>
      checkSteps({ code, ops: [{ ...push, ...first }, stop] }, log)
    expect(steps({})).toEqual([])
    expect(steps({}, '0x6105')).not.toEqual([])
    expect(steps({ sub: { code: '0x', ops: [] } })).toEqual([])
    expect(steps({ sub: { code: '0x5f', ops: [] } })).not.toEqual([])
    for (const change of [{ pc: 1 }, { op: 'DUP1' }, { cost: 4 }, { ex: null }])
      expect(steps(change)).not.toEqual([])
    for (const change of [
      { used: 96 },
      { push: [] },
      { push: ['0x6'] },
      { store: { key: '0x1', val: '0x1' } },
    ])
      expect(steps({ ex: { ...ex, ...change } })).not.toEqual([])
    const state = { pre: { '0xa': { balance: '0x5' } }, post: { '0xa': { balance: '0x6' } } }
    const account = {
      balance: { '*': { from: '0x5', to: '0x6' } },
      code: '=',
      nonce: '=',
      storage: {},
    } as const
    expect(checkPrestate({ '0xa': account }, state)).toEqual([])
    expect(checkPrestate({}, state)).not.toEqual([])
    expect(checkPrestate({ '0xa': { ...account, balance: '=' } }, state)).not.toEqual([])
    expect(checkPrestate({ '0xa': { ...account, nonce: { '+': '0x1' } } }, state)).not.toEqual([])
    const other = { '*': { from: '0x4', to: '0x6' } }
    expect(checkPrestate({ '0xa': { ...account, balance: other } }, state)).not.toEqual([])
  })

  test('notices coins that come from nowhere', () => {
    const unchanged = { code: '=', nonce: '=', storage: {} } as const
    const paid = { ...unchanged, balance: { '*': { from: '0x9', to: '0x4' } } }
    const taken = (amount: string) => ({ ...unchanged, balance: { '+': amount } })
    const replayed = (stateDiff: Replayed['stateDiff'], traces: readonly Trace[] = [trace]) =>
      ({ output: '0x', trace: traces, stateDiff, vmTrace: { code: '0x', ops: [] } }) as const
    expect(checkCoins(replayed({ '0xa': paid, '0xb': taken('0x3') }), 2n)).toEqual([])
    for (const amount of ['0x2', '0x4', '0x5'])
      expect(checkCoins(replayed({ '0xa': paid, '0xb': taken(amount) }), 2n)).not.toEqual([])
    const burning = [
      { ...trace, type: 'create', result: { address: '0xc', code: '0x', gasUsed: '0x1' } },
      { ...trace, type: 'suicide', action: { address: '0xc', balance: '0x1', refundAddress: '0xc' } },
    ]
    expect(checkCoins(replayed({ '0xa': paid, '0xb': taken('0x2') }, burning), 2n)).toEqual([])
    expect(checkCoins(replayed({ '0xa': paid, '0xb': taken('0x4') }, burning), 2n)).not.toEqual([])
  })
})
