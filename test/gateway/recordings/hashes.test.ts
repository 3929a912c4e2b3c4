import { describe, expect, it } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { headerHash } from '../../../src/comet/data/headerHash.ts'
import { parseNewBlock } from '../../../src/comet/data/parseNewBlock.ts'
import { verifyBlock, verifyResults } from '../../../src/comet/data/verifyBlock.ts'
import { decodeContents } from '../../../src/cosmos/transaction/contents.ts'
import { convertBlock } from '../../../src/families/convert/convertBlock.ts'
import { dialectOf } from '../../../src/families/families.ts'
import { encodeForMempool } from '../../../src/gateway/sending/encodeForMempool.ts'
import { chainInfo, heights, nativeAt, recorded, served, toConversionContext } from './recordings.ts'

describe('recorded hashes', () => {
  it.each(heights)('block %i has the hash and the transactions that it says', (height) => {
    const { block } = nativeAt(height)
    expect(() => verifyBlock(block, { chainId: '9001', height })).not.toThrow()
    const later = { ...block.header.time, nanos: block.header.time.nanos ^ 1 }
    const changed = { ...block, header: { ...block.header, time: later } }
    expect(() => verifyBlock(changed, { chainId: '9001' })).toThrow('its hash is not that of its header')
    const more = { ...block, transactions: [...block.transactions, Uint8Array.of(1)] }
    expect(() => verifyBlock(more, { chainId: '9001' })).toThrow('its transactions are not those')
    expect(() => verifyBlock(block, { chainId: '9002' })).toThrow('is of chain 9001')
    expect(() => verifyBlock(block, { chainId: '9001', height: height + 1 })).toThrow('came for block')
  })

  it.each([
    [89, 90],
    [250, 251],
  ])('block %i is followed by block %i, which names its results', (height, next) => {
    const { block, results } = nativeAt(height)
    const { block: after } = nativeAt(next)
    expect(() => verifyResults(results, after.header)).not.toThrow()
    verifyBlock(after, { chainId: '9001', parent: { height, hash: block.hash } })
    expect(() => verifyBlock(after, { chainId: '9001', parent: { height, hash: after.hash } })).toThrow(
      'does not follow',
    )
    const [first, ...others] = results.transactions
    const changed = { ...results, transactions: [{ ...first, gasUsed: 1n }, ...others] }
    expect(() => verifyResults(changed as typeof results, after.header)).toThrow('its results')
    expect(() => verifyResults({ ...results, appHash: block.hash }, after.header)).toThrow('the state after')
  })

  it('the event of a new block holds all that is served of it', () => {
    const { result } = recorded('ws/cmt-NewBlock.json')
    const { block, results } = parseNewBlock(result)
    verifyBlock(block, { chainId: '9001', height: 765 })
    if (results === undefined) throw new Error('the event has no results')
    const converted = convertBlock(block, results, toConversionContext(815), chainInfo)
    const { timestamp, ...expected } = recorded('ws/eth-block-765.json')
    const { full, hashes } = served(converted)
    const isFull = typeof expected.transactions[0] === 'object'
    const { timestamp: time, ...block765 } = isFull ? full : hashes
    expect(time).toBe(timestamp)
    const strip = ({ blockTimestamp: _, ...rest }: Record<string, unknown>) => rest
    expect({
      ...block765,
      transactions: isFull ? block765.transactions.map(strip) : block765.transactions,
    }).toEqual(expected)
    // An event of 0.37 names no hash: the header has it.
    const { block_id: _, ...value } = result.data.value
    const older = parseNewBlock({ ...result, data: { ...result.data, value } })
    expect(older.block.hash).toEqual(headerHash(block.header))
  })

  const wrapped = heights.flatMap((height) =>
    nativeAt(height).block.transactions.map((bytes, index) => ({ height, index, bytes })),
  )

  it('wraps every recorded transaction byte by byte as it was sent', () => {
    let count = 0
    for (const { height, index, bytes } of wrapped) {
      const [message] = decodeContents(bytes)?.ethereum ?? []
      if (message?.from === undefined) continue
      expect(
        toHex(encodeForMempool(message.raw, message.from, dialectOf(chainInfo))),
        `${height}/${index}`,
      ).toBe(toHex(bytes))
      count++
    }
    expect(count).toBe(52)
  })
})
