import { describe, expect, test } from 'vitest'
import { createChain } from '../../../test/support/blocks.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { encodeBlock } from '../block/block.ts'
import { headerHash } from '../block/header.ts'
import { blockJsonFrame, ommerJson } from './blockJson.ts'
import { headerJson } from './headerJson.ts'
import { transactionJson } from './transactionJson.ts'

describe('the JSON of blocks', () => {
  const [, block] = createChain(11, [{ transactions: 3, ommers: 1, withdrawals: 2 }])
  if (!block) throw new Error('a chain of two blocks')
  const { header, hash, ommers, withdrawals } = block
  const fields = {
    header,
    hash,
    size: encodeBlock(block).length,
    ommerHashes: ommers.map(headerHash),
    withdrawals,
  }
  const frame = blockJsonFrame(fields)
  const whole = JSON.parse(frame.open + frame.close) as Record<string, unknown>

  test('a header has the members of its block but those of the body', () => {
    const { size, transactions, uncles, withdrawals: list, ...rest } = whole
    expect(JSON.parse(headerJson(header, hash))).toEqual(rest)
    expect([transactions, uncles]).toEqual([[], ommers.map((ommer) => toHex(headerHash(ommer)))])
    expect(Number(size)).toBe(fields.size)
    expect(list).toEqual(
      withdrawals?.map(({ index, validatorIndex, address, amount }) => ({
        index: `0x${index.toString(16)}`,
        validatorIndex: `0x${validatorIndex.toString(16)}`,
        address: toHex(address),
        amount: `0x${amount.toString(16)}`,
      })),
    )
    expect(whole).not.toHaveProperty('totalDifficulty')
  })

  test('a pending block says nothing of what only sealing decides', () => {
    const pending = blockJsonFrame(fields, 'pending')
    expect(JSON.parse(pending.open + pending.close)).toEqual({
      ...whole,
      hash: null,
      nonce: null,
      miner: null,
    })
  })

  test('an ommer is a block without transactions', () => {
    const [ommer] = ommers
    if (!ommer) throw new Error('one ommer')
    const members = JSON.parse(ommerJson(ommer)) as Record<string, unknown>
    expect(members).toMatchObject({ hash: toHex(headerHash(ommer)), uncles: [] })
    expect(members).not.toHaveProperty('transactions')
    const alone = { header: ommer, transactions: [], ommers: [], withdrawals: undefined }
    expect(Number(members.size)).toBe(encodeBlock(alone).length)
  })

  test('a transaction of the pool has no inclusion', () => {
    const [executed] = block.transactions
    if (!executed) throw new Error('three transactions')
    expect(JSON.parse(transactionJson({ ...executed, inclusion: undefined }))).toMatchObject({
      blockHash: null,
      blockNumber: null,
      blockTimestamp: null,
      transactionIndex: null,
    })
  })
})
