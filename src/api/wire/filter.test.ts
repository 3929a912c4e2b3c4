import { describe, expect, test } from 'vitest'
import { Filter } from './filter.ts'

const hash = `0x${'11'.repeat(32)}`
const hashBytes = new Uint8Array(32).fill(0x11)
const topic = `0x${'22'.repeat(32)}`
const topicBytes = new Uint8Array(32).fill(0x22)
const address = `0x${'33'.repeat(20)}`
const addressBytes = new Uint8Array(20).fill(0x33)
const latest = { kind: 'tag', tag: 'latest' }

const complaint = (filter: unknown) => Filter.schema.safeParse(filter).error?.issues[0]

describe('log filters', () => {
  test('an empty one means everything in the latest block', () => {
    const everything = { blocks: { kind: 'range', from: latest, to: latest }, addresses: [], topics: [] }
    expect(Filter.schema.parse({})).toEqual(everything)
    const nulls = {
      fromBlock: null,
      toBlock: null,
      address: null,
      topics: null,
      blockHash: null,
      blockhash: null,
    }
    expect(Filter.schema.parse(nulls)).toEqual(everything)
  })

  test('a range', () => {
    expect(Filter.schema.parse({ fromBlock: 'earliest', toBlock: '0x5' }).blocks).toEqual({
      kind: 'range',
      from: { kind: 'tag', tag: 'earliest' },
      to: { kind: 'number', number: 5n },
    })
  })

  test.each(['blockHash', 'blockhash'])('one block by %s', (name) => {
    expect(Filter.schema.parse({ [name]: hash }).blocks).toEqual({ kind: 'hash', hash: hashBytes })
    for (const end of ['fromBlock', 'toBlock']) {
      expect(complaint({ [name]: hash, [end]: '0x1' })?.message).toBe(
        'expected either blockHash or fromBlock and toBlock, not both',
      )
      expect(Filter.schema.safeParse({ [name]: hash, [end]: null }).success).toBe(true)
    }
  })

  test('both spellings of the hash must agree', () => {
    expect(Filter.schema.safeParse({ blockHash: hash, blockhash: hash }).success).toBe(true)
    expect(complaint({ blockHash: hash, blockhash: topic })?.message).toMatch(/to be equal/)
  })

  test('one address, many or none', () => {
    expect(Filter.schema.parse({ address }).addresses).toEqual([addressBytes])
    expect(Filter.schema.parse({ address: [address, address] }).addresses).toEqual([
      addressBytes,
      addressBytes,
    ])
    expect(Filter.schema.parse({ address: [] }).addresses).toEqual([])
    expect(complaint({ address: '0x12' })?.path).toEqual(['address'])
    expect(complaint({ address: 1 })?.message).toBe('expected an address or an array of addresses')
    expect(complaint({ address: [address, 1] })).toMatchObject({
      path: ['address', 1],
      message: 'expected an address: 0x and 40 hex digits',
    })
    expect(complaint({ address: new Array(1_001).fill(address) })?.message).toBe(
      'expected at most 1000 of them',
    )
  })

  test('topics: null, one or alternatives in each position', () => {
    const topics = [null, topic, [topic, hash], [], [topic, null]]
    expect(Filter.schema.parse({ topics: topics.slice(0, 4) }).topics).toEqual([
      [],
      [topicBytes],
      [topicBytes, hashBytes],
      [],
    ])
    expect(Filter.schema.parse({ topics: topics.slice(4) }).topics).toEqual([[]])
    expect(complaint({ topics })?.message).toBe('expected an array of at most 4 topics')
    expect(complaint({ topics: ['0x12'] })?.path).toEqual(['topics', 0])
    expect(complaint({ topics: topic })?.path).toEqual(['topics'])
  })

  test.each([null, [], 'latest', 1])('%j is not a filter', (value) => {
    expect(complaint(value)?.message).toBe('expected a filter object')
  })
})
