import { describe, expect, test } from 'vitest'
import { blockTags } from '../../chain/port/blockRef.ts'
import { Block, BlockNumber, BlockNumberOrInteger } from './block.ts'

const hash = `0x${'ab'.repeat(32)}`
const hashBytes = new Uint8Array(32).fill(0xab)

describe('the block parameter', () => {
  test('a number', () => {
    expect(Block.schema.parse('0x10')).toEqual({ kind: 'number', number: 16n })
    expect(Block.schema.parse({ blockNumber: '0x10' })).toEqual({ kind: 'number', number: 16n })
  })

  test.each(blockTags)('the tag %s', (tag) => {
    expect(Block.schema.parse(tag)).toEqual({ kind: 'tag', tag })
    expect(BlockNumber.schema.parse(tag)).toEqual({ kind: 'tag', tag })
    expect(Block.schema.parse({ blockNumber: tag })).toEqual({ kind: 'tag', tag })
  })

  test('a hash, bare or in an object', () => {
    const byHash = { kind: 'hash', hash: hashBytes, requireCanonical: false }
    expect(Block.schema.parse(hash)).toEqual(byHash)
    expect(Block.schema.parse({ blockHash: hash })).toEqual(byHash)
    expect(Block.schema.parse({ blockHash: hash, blockNumber: null })).toEqual(byHash)
    expect(Block.schema.parse({ blockHash: hash, requireCanonical: true })).toEqual({
      ...byHash,
      requireCanonical: true,
    })
  })

  test.each([{}, { blockNumber: '0x1', blockHash: hash }, { requireCanonical: true }])(
    '%j is rejected: exactly one of the two',
    (value) => {
      expect(Block.schema.safeParse(value).error?.issues[0]?.message).toBe(
        'expected exactly one of blockNumber and blockHash',
      )
    },
  )

  test.each([
    1,
    '1',
    '0x01',
    '',
    'Latest',
    'newest',
    null,
    true,
    [[]],
    [['latest']],
    '0x10000000000000000',
    hash.slice(0, -1),
    `${hash}00`,
    { blockHash: '0x12' },
    { blockNumber: 1 },
    { blockHash: hash, requireCanonical: 'yes' },
  ])('%j is rejected', (value) => {
    expect(Block.schema.safeParse(value).error?.issues[0]?.message).toMatch(/^expected a block number/)
  })

  test('where a height is wanted, a hash is rejected', () => {
    expect(BlockNumber.schema.safeParse(hash).success).toBe(false)
    expect(BlockNumber.schema.safeParse({ blockNumber: '0x1' }).success).toBe(false)
    expect(BlockNumber.schema.safeParse(1).success).toBe(false)
  })

  test('JSON numbers only where geth takes them', () => {
    expect(BlockNumberOrInteger.schema.parse(7)).toEqual({ kind: 'number', number: 7n })
    expect(BlockNumberOrInteger.schema.parse('0x7')).toEqual({ kind: 'number', number: 7n })
    expect(BlockNumberOrInteger.schema.safeParse(-1).success).toBe(false)
    expect(BlockNumberOrInteger.schema.safeParse(1.5).success).toBe(false)
  })
})
