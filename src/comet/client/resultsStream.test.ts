import { describe, expect, it } from 'vitest'
import {
  blockReply,
  conversionContext,
  exampleChainInfo,
  resultsReply,
  type SampleBlock,
  type Version,
} from '../../../test/gateway/conversion/exampleBlocks.ts'
import { bankSend, nativeTx } from '../../../test/gateway/conversion/messages.ts'
import { convertBlock } from '../../families/convert/convertBlock.ts'
import { toSyntheticLogs } from '../../gateway/nativeView/syntheticLogs.ts'
import { parseBlock } from '../data/parseBlock.ts'
import { parseResults } from '../data/parseResults.ts'
import { UntakenBlockError } from '../data/upstreamError.ts'
import { defaultResultsLimits, type ResultsLimits, ResultsStream } from './resultsStream.ts'

const account = `0x${'11'.repeat(20)}`

/** A transaction that sends tokens with a memo of this length, and has a log of the same. */
const withMemo = (length: number): SampleBlock['results'][number] => {
  const packet = {
    amount: '5',
    denom: 'asample',
    memo: 'm'.repeat(length),
    receiver: 'other1',
    sender: account,
  }
  return {
    log: 'l'.repeat(length),
    events: [
      {
        type: 'send_packet',
        attributes: [
          ['packet_data', JSON.stringify(packet)],
          ['packet_src_port', 'transfer'],
          ['packet_src_channel', 'channel-0'],
          ['packet_dst_port', 'transfer'],
          ['packet_dst_channel', 'channel-1'],
          ['packet_sequence', '1'],
        ],
      },
    ],
  }
}

const blockOf = (lengths: readonly number[]): SampleBlock => ({
  transactions: lengths.map(() => nativeTx(bankSend)),
  results: lengths.map(withMemo),
})

const streamed = (sample: SampleBlock, version: Version = '0.38', limits?: Partial<ResultsLimits>) => {
  const stream = new ResultsStream(7, { ...defaultResultsLimits, ...limits })
  stream.push(
    Buffer.from(`{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(resultsReply(sample, version))}}`),
  )
  return stream.assemble((JSON.parse(stream.end().toString()) as { result: unknown }).result)
}

describe('results that are parsed while they arrive', () => {
  it.each<Version>(['0.34', '0.37', '0.38'])(
    'of %s have the long texts that those at once have',
    (version) => {
      const sample = blockOf([20_000, 100_000])
      const block = parseBlock(blockReply(sample))
      const convert = (results: ReturnType<typeof parseResults>) =>
        convertBlock(block, results, conversionContext, exampleChainInfo)
      const converted = convert(streamed(sample, version))
      expect(converted).toEqual(convert(parseResults(resultsReply(sample, version))))
      const kinds = converted.native.transactions.map(({ events }) => toSyntheticLogs(events).length)
      // The event, and the transfer that is read from its packet.
      expect(kinds).toEqual([2, 2])
    },
  )

  it('are cut where they would take too much memory, and the others are not', () => {
    const limits = { maxWholeBytes: 60_000, maxKeptBytes: 200_000 }
    const { transactions } = streamed(blockOf([20_000, 20_000, 100]), '0.38', limits)
    expect(transactions.map(({ log }) => log.length)).toEqual([20_000, 16_384, 100])
    expect(transactions.map(({ events }) => events[0]?.attributes[0]?.value.length)).toEqual([
      expect.any(Number),
      16_384,
      expect.any(Number),
    ])
    expect(() => streamed(blockOf(Array<number>(8).fill(20_000)), '0.38', limits)).toThrow(UntakenBlockError)
  })
})
