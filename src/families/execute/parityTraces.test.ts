import { expect, test } from 'vitest'
import { defaultTraceOptions, type TraceOptions } from '../../chain/port/traces.ts'
import { isParity, toFlatOptions, toParityBlock, toParityTrace } from './parityTraces.ts'

const [alice, bob] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
const hash = new Uint8Array(32).fill(7)
const location = { blockHash: hash, blockNumber: 5, transactionHash: hash, transactionIndex: 2 }
const options = (tracerConfig: object): TraceOptions => ({
  ...defaultTraceOptions,
  tracer: 'parityTracer',
  tracerConfig,
})
const flat = [
  {
    action: { callType: 'call', from: alice, to: bob, gas: '0x1', input: '0x', value: '0x0' },
    result: { gasUsed: '0x1', output: '0x05' },
    subtraces: 1,
    traceAddress: [],
    type: 'call',
  },
  {
    action: { callType: 'call', from: bob, to: alice, gas: '0x1', input: '0x', value: '0x0' },
    error: 'Out of gas',
    subtraces: 0,
    traceAddress: [0],
    type: 'call',
  },
]
const text = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
const read = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())

test('a list has locations, filters and results that are null', () => {
  const all = read(toParityTrace(text(flat), options({}), location)) as readonly object[]
  const hex = `0x${'07'.repeat(32)}`
  const at = { blockHash: hex, blockNumber: 5, transactionHash: hex, transactionPosition: 2 }
  expect(all).toEqual([
    { ...flat[0], ...at },
    { ...flat[1], result: null, ...at },
  ])
  const filtered = (filter: object): unknown => read(toParityTrace(text(flat), options({ filter }), location))
  expect(filtered({ fromAddress: [alice] })).toEqual(all.slice(0, 1))
  expect(filtered({ toAddress: [alice] })).toEqual(all.slice(1))
  expect(filtered({ fromAddress: [alice], toAddress: [alice] })).toEqual(all)
  expect(filtered({ fromAddress: [alice], toAddress: [alice], mode: 'intersection' })).toEqual([])
  expect(read(toParityTrace(text(flat), options({ position: 1 }), location))).toEqual(all.slice(1))
  expect(
    read(toParityBlock(text([{ result: flat }, { result: flat }]), options({}), [location, location])),
  ).toEqual([...all, ...all])
})

test('the kinds that the chain has are given, and others rejected', () => {
  const { result, ...first } = flat[0] as object & { result: object }
  expect(read(toParityTrace(text(flat), options({ kinds: ['trace'] }), location))).toEqual({
    output: '0x05',
    stateDiff: null,
    trace: [
      { ...first, result },
      { ...flat[1], result: null },
    ],
    vmTrace: null,
  })
  expect(isParity(options({}))).toBe(true)
  expect(toFlatOptions(options({})).tracer).toBe('flatCallTracer')
  expect(() => toFlatOptions(options({ kinds: ['trace', 'stateDiff'] }))).toThrow(/no stateDiff/)
})

test.each(['{}', 'null', '[', '7'])('%s of the chain is not a result', (answer) => {
  expect(() => toParityTrace(Buffer.from(answer), options({}), location)).toThrow(/cannot be read/)
  expect(() => toParityBlock(Buffer.from(answer), options({}), [location])).toThrow(/cannot be read/)
})
