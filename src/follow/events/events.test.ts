import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { type AbiEvent, encodeAbiParameters, encodeEventTopics } from 'viem'
import { describe, expect, test } from 'vitest'
import { abiJson } from '../../base/abi/item.ts'
import { readAbi } from '../../base/abi/parse.ts'
import type { Json, Table } from '../tables/column.ts'
import { EventLogs } from './eventRows.ts'
import { eventName } from './eventTable.ts'
import { readEvents, toEvents } from './readEvents.ts'

const folder = mkdtempSync(join(tmpdir(), 'perihelion-abi-'))
let files = 0
const fileOf = (content: unknown): string => {
  const path = join(folder, `${files++}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
const eventOf = (name: string, inputs: AbiEvent['inputs']): AbiEvent => ({ type: 'event', name, inputs })
const address = (name: string, indexed = true) => ({ name, type: 'address', indexed })
const transfer = eventOf('Transfer', [address('from'), address('to'), { name: 'value', type: 'uint256' }])
const deed = eventOf('Transfer', [
  address('from'),
  address('to'),
  { name: 'tokenId', type: 'uint256', indexed: true },
])

const rowsOf = (abi: readonly AbiEvent[], topics: readonly unknown[], data: string) => {
  const rows: [string, Json][] = []
  const sinks = ({ name }: Table) => ({ add: (record: Json) => void rows.push([name, record]) })
  const logs = new EventLogs(readEvents([fileOf(abi)]))
  logs.add({ data, address: '0xaa' }, topics, sinks)
  return rows
}

describe('tables of events', () => {
  test('names are those of the event and its parameters, whatever they hold', () => {
    const [{ table }] = toEvents(
      readAbi([
        eventOf('URLSet"; drop', [
          { name: 'blockNumber', type: 'uint64', indexed: true },
          { name: '', type: 'string', indexed: true },
          { name: 'newURL', type: 'string' },
          { name: 'newUrl', type: 'int8' },
        ]),
      ]) ?? [],
    ) as unknown as [{ table: Table }]
    expect(table.name).toBe('event_url_set_drop')
    expect(table.columns.slice(5).map(({ name, type }) => [name, type])).toEqual([
      ['block_number_', 'amount'],
      ['parameter_1', 'bytes'],
      ['new_url', 'text'],
      ['new_url_', 'amount'],
    ])
  })

  test('columns have no name of a system column of PostgreSQL, and none that it would cut', () => {
    const prefix = 'long'.repeat(15)
    const system = ['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid']
    const inputs = [...system, ...Array.from({ length: 80 }, (_, index) => `${prefix}${index}`)].map(
      (name) => ({ name, type: 'uint8' }),
    )
    const [{ table }] = toEvents(readAbi([eventOf('Odd', inputs)]) ?? []) as unknown as [{ table: Table }]
    const columns = table.columns.map(({ name }) => name)
    expect(columns.slice(5, 11)).toEqual(system.map((name) => `${name}_`))
    expect(columns.slice(11, 14)).toEqual([prefix, `${prefix}_`, `${prefix}__`])
    expect(new Set(columns).size).toBe(91)
    expect(columns.filter((name) => name.length > 63)).toEqual([])
  })

  test.each(['StakedP0', 'StakedP12', 'StakedAddressBlockNumber', 'ABlockNumberLogIndex', 'Odd_ddf252ad_3'])(
    'the table of %s has a name that no partition, index or other table can have',
    (name) => {
      const events = toEvents(readAbi([eventOf('Staked', []), eventOf('A', []), eventOf(name, [])]) ?? [])
      const { event, table, id } = events.find((one) => one.event.name === name) as (typeof events)[number]
      expect(table.name).toBe(`event_${eventName(event)}_${id.slice(2, 10)}_1`)
      expect(
        events
          .filter((one) => one.table !== table)
          .map((one) => one.table.name)
          .toSorted(),
      ).toEqual(['event_a', 'event_staked'])
    },
  )

  test('events of one name have tables apart, and one that is in two files has one', () => {
    const files = [fileOf([transfer]), fileOf({ abi: [deed, transfer, { type: 'function', name: 'f' }] })]
    expect(
      readEvents(files)
        .map(({ table }) => table.name)
        .toSorted(),
    ).toEqual(['event_transfer_ddf252ad_3', 'event_transfer_ddf252ad_4'])
  })

  test.each([
    ['nothing', '', /holds no ABI/],
    ['no events', [{ type: 'function', name: 'f' }], /no events/],
  ])('a file with %s is an error that says so', (_, content, message) => {
    expect(() => readEvents([fileOf(content)])).toThrow(message)
  })

  test('an event is written down as compilers write it', () => {
    const inner = {
      name: 'at',
      type: 'tuple[2][]',
      indexed: false,
      components: [{ name: 'x', type: 'uint8', indexed: false }],
    }
    const event = { type: 'event', name: 'Moved', inputs: [address('who'), inner] }
    expect(abiJson((readAbi([event]) ?? [])[0] as never)).toEqual(event)
  })
})

describe('rows of events', () => {
  test('values are those that viem encodes', () => {
    const types = ['uint256', 'int128', 'bool', 'address', 'bytes4', 'bytes', 'string', 'uint8[]'] as const
    const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
    const hex = (length: number) =>
      fc
        .uint8Array({ minLength: length, maxLength: length })
        .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as const)
    const arbitraryOf = {
      uint256: word,
      int128: fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }),
      bool: fc.boolean(),
      address: hex(20),
      bytes4: hex(4),
      bytes: fc.integer({ min: 0, max: 80 }).chain(hex),
      string: fc.string({ unit: 'grapheme' }),
      'uint8[]': fc.array(fc.integer({ min: 0, max: 255 })),
    }
    const parameter = fc
      .constantFrom(...types)
      .chain((type) => fc.tuple(fc.constant(type), arbitraryOf[type] as fc.Arbitrary<unknown>, fc.boolean()))
    fc.assert(
      fc.property(fc.array(parameter, { minLength: 1, maxLength: 6 }), (given) => {
        let topics = 0
        const inputs = given.map(([type, , wantsTopic], index) => {
          const indexed = wantsTopic && type !== 'uint8[]' && topics < 3
          if (indexed) topics++
          return { name: `p${index}`, type, indexed }
        })
        const event = eventOf('Any', inputs)
        const args = Object.fromEntries(given.map(([, value], index) => [`p${index}`, value]))
        const hashes = encodeEventTopics({ abi: [event], eventName: 'Any', args } as never) as string[]
        const open = inputs.map(({ indexed }) => !indexed)
        const data = encodeAbiParameters(
          inputs.filter((_, index) => open[index]),
          given.filter((_, index) => open[index]).map(([, value]) => value) as never,
        )
        const [[, row] = ['', {} as Json]] = rowsOf([event], hashes, data)
        let topic = 1
        for (const [index, [type, value]] of given.entries()) {
          const hash = open[index] ? undefined : hashes[topic++]
          const isHashed = hash !== undefined && (type === 'string' || type === 'bytes')
          const expected = isHashed ? hash : Array.isArray(value) ? value.map(String) : value
          expect(row[`parameter${index}`]).toEqual(expected)
        }
      }),
      { numRuns: 150 },
    )
  })

  test('a struct is an object', () => {
    const point = {
      name: 'at',
      type: 'tuple',
      components: [
        { name: 'x', type: 'uint8' },
        { name: 'tag', type: 'string' },
      ],
    }
    const event = eventOf('Moved', [point])
    const data = encodeAbiParameters([point], [{ x: 3, tag: 'a' }])
    const [topic] = encodeEventTopics({ abi: [event] }) as string[]
    expect(rowsOf([event], [topic], data)).toEqual([
      ['event_moved', expect.objectContaining({ address: '0xaa', parameter0: { x: '3', tag: 'a' } })],
    ])
  })

  test.each([
    ['uint256[]', undefined, (index: number) => BigInt(index)],
    ['tuple[]', [{ name: 'x', type: 'uint256' }], (index: number) => ({ x: BigInt(index) })],
    ['string[]', undefined, (index: number) => (index % 2 === 0 ? '' : `${index}`)],
    ['uint8[][]', undefined, (index: number) => (index % 2 === 0 ? [] : [7n])],
  ])('a list of 12,000 items of %s is whole', (type, components, itemOf) => {
    const list = { name: 'list', type, ...(components && { components }) }
    const event = eventOf('Listed', [list])
    const values = Array.from({ length: 12_000 }, (_, index) => itemOf(index))
    const data = encodeAbiParameters([list], [values])
    const [topic] = encodeEventTopics({ abi: [event] }) as string[]
    const [[, row] = ['', {} as Json]] = rowsOf([event], [topic], data)
    const asJson = JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    expect(row.parameter0).toEqual(JSON.parse(asJson))
  })

  test('data that says one list many times has no row', () => {
    const list = { name: 'list', type: 'uint256[][]' }
    const event = eventOf('Listed', [list])
    const inner = Array.from({ length: 1_000 }, (_, index) => BigInt(index))
    const word = (value: number): string => value.toString(16).padStart(64, '0')
    const outer = `0x${word(32)}${word(1_000)}${word(32_000).repeat(1_000)}${encodeAbiParameters([{ type: 'uint256[]' }], [inner]).slice(66)}`
    const [topic] = encodeEventTopics({ abi: [event] }) as string[]
    expect(rowsOf([event], [topic], outer)).toEqual([])
  })

  test.each(['uint8[0][]', 'uint8[0][9000000000]', 'uint8[9000000000]'])(
    'empty or missing items of %s fill no memory',
    (type) => {
      const event = eventOf('Listed', [{ name: 'list', type }])
      const [topic] = encodeEventTopics({ abi: [event] }) as string[]
      const data = `0x${'20'.padStart(64, '0')}${(600_000).toString(16).padStart(64, '0')}${'00'.repeat(600_000)}`
      expect(rowsOf([event], [topic], data)).toEqual([])
    },
  )

  test('a text keeps a byte order mark', () => {
    const text = { name: 'text', type: 'string' }
    const event = eventOf('Said', [text])
    const [topic] = encodeEventTopics({ abi: [event] }) as string[]
    const [[, row] = ['', {} as Json]] = rowsOf([event], [topic], encodeAbiParameters([text], ['\ufeffhi']))
    expect(row.parameter0).toBe('\ufeffhi')
  })

  test('a log of another event, or with other data, has no row', () => {
    const [topic0] = encodeEventTopics({ abi: [transfer] }) as [string]
    const word = `0x${'00'.repeat(32)}`
    expect(rowsOf([transfer], [topic0, word, word], word)).toHaveLength(1)
    expect(rowsOf([transfer], [topic0, word, word], '0x')).toEqual([])
    expect(rowsOf([transfer], [topic0, word, word, word], word)).toEqual([])
    expect(rowsOf([transfer], [], word)).toEqual([])
  })
})
