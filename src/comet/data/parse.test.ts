import { describe, expect, it } from 'vitest'
import {
  parseBase64,
  parseHeight,
  parseHex,
  parseInt64,
  parseList,
  parseObject,
  parseText,
  parseUint32,
} from './fields.ts'
import { parseTime } from './nativeTime.ts'
import { areAttributesBase64, decodeEvents, parseEvents } from './parseEvents.ts'
import { parseHeader } from './parseHeader.ts'
import { parseResults } from './parseResults.ts'
import { UpstreamError } from './upstreamError.ts'

const refuses = (run: () => unknown): void => expect(run).toThrow(UpstreamError)

describe('members of a response', () => {
  it('integers of 64 bits are text in their shortest form', () => {
    expect(parseInt64('-9223372036854775808', 'x')).toBe(-(2n ** 63n))
    expect(parseInt64('9223372036854775807', 'x')).toBe(2n ** 63n - 1n)
    for (const value of [
      '9223372036854775808',
      '-9223372036854775809',
      '01',
      '-0',
      '+1',
      '1.0',
      '',
      ' 1',
      1,
      null,
    ])
      refuses(() => parseInt64(value, 'x'))
    expect(() => parseInt64('5', 'gas', 6n)).toThrow('gas is 5')
  })

  it('heights begin at 1 and are exact', () => {
    expect(parseHeight('1', 'x')).toBe(1)
    for (const value of ['0', '-1', '9007199254740992', 1]) refuses(() => parseHeight(value, 'x'))
  })

  it('integers of 32 bits are numbers', () => {
    expect(parseUint32(4_294_967_295, 'x')).toBe(4_294_967_295)
    expect(Object.is(parseUint32(-0, 'x'), 0)).toBe(true)
    for (const value of [-1, 0.5, 4_294_967_296, Number.NaN, '1', null])
      refuses(() => parseUint32(value, 'x'))
  })

  it('hex has whole bytes of an expected number', () => {
    expect(parseHex('aAbB', 'x', 2)).toEqual(Uint8Array.of(0xaa, 0xbb))
    expect(parseHex(null, 'x', 0)).toEqual(new Uint8Array(0))
    for (const value of ['a', 'zz', '0xaa', 'aabbcc', 5]) refuses(() => parseHex(value, 'x', 1, 2))
  })

  it('base64 is canonical and bounded', () => {
    expect(parseBase64('AQI=', 'x', 2)).toEqual(Uint8Array.of(1, 2))
    expect(parseBase64(null, 'x', 2)).toEqual(new Uint8Array(0))
    for (const value of ['AQI', 'AQJ=', 'A-_/', 'AQI=\n', 'AAAA AAAA', 'AAAAAAAA', 5])
      refuses(() => parseBase64(value, 'x', 2))
  })

  it('lists, objects and text are what they are called, and bounded', () => {
    expect(parseList(null, 'x', 0)).toEqual([])
    refuses(() => parseList({}, 'x', 1))
    refuses(() => parseList([1, 2], 'x', 1))
    for (const value of [null, [], 'a', undefined]) refuses(() => parseObject(value, 'x'))
    refuses(() => parseText('ab', 'x', 1))
    refuses(() => parseText(1, 'x', 1))
  })
})

describe('timeOf', () => {
  it('keeps nanoseconds', () => {
    expect(parseTime('2026-11-15T03:15:45.26554248Z', 'x')).toEqual({
      seconds: 1_794_712_545n,
      nanos: 265_542_480,
    })
    expect(parseTime('0001-01-01T00:00:00Z', 'x')).toEqual({ seconds: -62_135_596_800n, nanos: 0 })
    expect(parseTime('2024-02-29T23:59:59.000000001Z', 'x').nanos).toBe(1)
  })

  it('rejects times that are not in UTC', () => {
    for (const value of [
      '2026-11-15T03:15:45+01:00',
      '2026-13-15T03:15:45Z',
      '2023-02-29T00:00:00Z',
      '2026-11-15T24:00:00Z',
      '2026-11-15 03:15:45Z',
      '2026-11-15T03:15:45.1234567890Z',
      '',
      5,
    ])
      refuses(() => parseTime(value, 'x'))
  })
})

describe('events', () => {
  const plain = [{ type: 'mint', attributes: [{ key: 'mode', value: 'AAAA' }] }]
  const encoded = [{ type: 'mint', attributes: [{ key: 'YW1vdW50', value: 'NQ==' }] }]

  it('are base64 where every key is', () => {
    expect(areAttributesBase64([plain])).toBe(false)
    expect(areAttributesBase64([encoded])).toBe(true)
    expect(areAttributesBase64([encoded, plain])).toBe(false)
    expect(areAttributesBase64([[], [{ type: 'mint', attributes: [] }]])).toBe(false)
    expect(decodeEvents(encoded)).toEqual([{ type: 'mint', attributes: [{ key: 'amount', value: '5' }] }])
    refuses(() =>
      decodeEvents(plain.map((event) => ({ ...event, attributes: [{ key: 'YWI=', value: 'x' }] }))),
    )
  })

  it('may lack values and attributes', () => {
    expect(parseEvents([{ type: 'a' }, { type: 'b', attributes: [{ key: 'c', value: null }] }], 'x')).toEqual(
      [
        { type: 'a', attributes: [] },
        { type: 'b', attributes: [{ key: 'c', value: '' }] },
      ],
    )
    refuses(() => parseEvents([{ attributes: [] }], 'x'))
    refuses(() => parseEvents([{ type: 'a', attributes: ['b'] }], 'x'))
  })
})

describe('results', () => {
  it('may be without transactions, updates and hash', () => {
    expect(
      parseResults({ height: '3', txs_results: null, begin_block_events: null, end_block_events: [] }),
    ).toEqual({
      height: 3,
      transactions: [],
      events: [],
      nextMaxGas: undefined,
      appHash: undefined,
    })
    expect(
      parseResults({ height: '3', consensus_param_updates: { block: { max_gas: '-1' } } }).nextMaxGas,
    ).toBe(-1n)
    refuses(() => parseResults({ height: '3', consensus_param_updates: { block: { max_gas: '-2' } } }))
    refuses(() => parseResults({ height: '3', txs_results: [{ code: 0, gas_wanted: '1' }] }))
  })

  it('have the events of the beginning before those of the end', () => {
    const at = (type: string) => [{ type, attributes: [] }]
    const { events } = parseResults({ height: '3', end_block_events: at('b'), begin_block_events: at('a') })
    expect(events.map(({ type }) => type)).toEqual(['a', 'b'])
  })
})

describe('a header', () => {
  it('has every field that its hash is made of', () => {
    refuses(() => parseHeader({}))
    refuses(() => parseHeader({ version: {}, chain_id: 'x'.repeat(51) }))
  })
})
