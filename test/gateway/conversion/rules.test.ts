import { describe, expect, it } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import type { Log } from '../../../src/chain/block/receiptLog.ts'
import { parseBlock } from '../../../src/comet/data/parseBlock.ts'
import { parseResults } from '../../../src/comet/data/parseResults.ts'
import { UpstreamError } from '../../../src/comet/data/upstreamError.ts'
import { verifyBlock } from '../../../src/comet/data/verifyBlock.ts'
import type { ChainInfo } from '../../../src/cosmos/chainInfo.ts'
import { checkConsistency } from '../../../src/families/convert/consistency.ts'
import { convertBlock } from '../../../src/families/convert/convertBlock.ts'
import type { ConvertedBlock } from '../../../src/families/convert/convertedBlock.ts'
import { isCosmosTransaction } from '../../../src/gateway/nativeView/syntheticTransactions.ts'
import { createCandidate } from '../../support/signedCandidates.ts'
import {
  blockReply,
  conversionContext,
  exampleChainInfo,
  resultsReply,
  type SampleBlock,
  type SampleEvent,
  type Version,
} from './exampleBlocks.ts'
import { asBytes, bankSend, inParts, nativeTx, newData, oldData } from './messages.ts'

const convert = (
  sample: SampleBlock,
  facts: ChainInfo = exampleChainInfo,
  version: Version = '0.38',
): ConvertedBlock => {
  const block = parseBlock(blockReply(sample))
  verifyBlock(block, { chainId: exampleChainInfo.nativeChainId })
  const converted = convertBlock(block, parseResults(resultsReply(sample, version)), conversionContext, facts)
  checkConsistency(converted)
  return converted
}

const first = createCandidate(0, 0n)
const second = createCandidate(1, 0n, { gasLimit: 90_000n })
const third = createCandidate(0, 1n)

const log = (byte: number): Log => ({
  address: new Uint8Array(20).fill(byte),
  topics: [new Uint8Array(32).fill(byte)],
  data: Uint8Array.of(byte),
})

const summary = ({ transactions }: ConvertedBlock) =>
  transactions.map(({ hash, receipt, location }) => ({
    hash: toHex(hash),
    status: receipt.outcome,
    cumulative: receipt.cumulativeGasUsed,
    logs: receipt.logs.length,
    at: [location.nativeIndex, location.messageIndex],
  }))

const message = (hash: Uint8Array, gas: string, ...more: (readonly [string, string])[]): SampleEvent => ({
  type: 'ethereum_tx',
  attributes: [
    ['amount', '5'],
    ['ethereumTxHash', toHex(hash)],
    ['txIndex', '0'],
    ['txGasUsed', gas],
    ...more,
  ],
})

const ante = (hash: Uint8Array): SampleEvent => ({
  type: 'ethereum_tx',
  attributes: [
    ['ethereumTxHash', toHex(hash)],
    ['txIndex', '0'],
  ],
})

const txLog = (...logs: readonly Log[]): SampleEvent => ({
  type: 'tx_log',
  attributes: logs.map(({ address, topics, data }) => [
    'txLog',
    JSON.stringify({
      address: toHex(address),
      topics: topics.map(toHex),
      data: Buffer.from(data).toString('base64'),
      blockNumber: 7,
      logIndex: 3,
    }),
  ]),
})

describe('several Ethereum messages in a native transaction', () => {
  const tx = nativeTx(inParts(first), bankSend, inParts(second))
  const answers = [
    { hash: first.hash, gasUsed: 21_000n, logs: [log(1)] },
    { hash: second.hash, gasUsed: 45_000n, vmError: 'execution reverted' },
  ]
  const expected = [
    { hash: toHex(first.hash), status: true, cumulative: 21_000n, logs: 1, at: [0, 0] },
    { hash: toHex(second.hash), status: false, cumulative: 66_000n, logs: 0, at: [0, 2] },
  ]

  it.each([
    ['responses', newData(answers)],
    ['the data of older versions', oldData(answers)],
  ])('are told apart by %s', (_, data) => {
    const converted = convert({ transactions: [tx], results: [{ data, gasUsed: 66_000n }] })
    expect(summary(converted)).toEqual(expected)
    expect(converted.native.transactions).toMatchObject([{ ethereumIndexes: [0, 1], events: [] }])
    expect(converted.header.gasUsed).toBe(66_000n)
  })

  it.each(['0.34', '0.37', '0.38'] as const)(
    'are told apart by events of %s where there is no data',
    (version) => {
      const events = [
        ante(third.hash),
        ante(second.hash),
        message(first.hash, '21000', ['recipient', '0x00']),
        txLog(log(1)),
        message(second.hash, '45000', ['ethereumTxFailed', 'execution reverted']),
        txLog(),
      ]
      const sample = { transactions: [tx], results: [{ events, gasUsed: 66_000n }] }
      const converted = convert(sample, exampleChainInfo, version)
      expect(summary(converted)).toEqual(expected)
      expect(converted.transactions[0]?.receipt.logs).toEqual([log(1)])
    },
  )

  it('need a result each', () => {
    const sample = (data: Uint8Array): SampleBlock => ({ transactions: [tx], results: [{ data }] })
    expect(() => convert(sample(newData(answers.slice(0, 1))))).toThrow('does not tell of 2')
    expect(() => convert(sample(new Uint8Array(0)))).toThrow('does not tell of 2')
    expect(() => convert(sample(Uint8Array.of(18, 200)))).toThrow('does not tell of 2')
    expect(() => convert(sample(newData([...answers].reverse())))).toThrow('is of another one')
  })
})

describe('transactions of a block', () => {
  it('are not those whose log alone says that the block ran out of gas: their code is proven', () => {
    const log = 'out of gas in location: block gas meter; gasWanted: 90000, gasUsed: 10000001'
    const sample: SampleBlock = {
      transactions: [nativeTx(asBytes(first)), nativeTx(asBytes(second))],
      results: [
        { code: 5, gasUsed: 80_000n, log: `insufficient funds: ${log}` },
        { code: 11, gasUsed: 80_000n, log },
      ],
    }
    expect(summary(convert(sample)).map(({ hash }) => hash)).toEqual([toHex(second.hash)])
  })

  it('are those that were executed or paid, by the rules of each family', () => {
    const outOfGas = 'out of gas in location: block gas meter; gasWanted: 90000, gasUsed: 10000001'
    const sample: SampleBlock = {
      transactions: [
        Uint8Array.of(1, 2, 3, 255),
        nativeTx(bankSend),
        nativeTx(asBytes(first)),
        nativeTx(asBytes(third)),
        nativeTx(inParts(second, 'cosmos.evm.vm.v1')),
        nativeTx(inParts(createCandidate(2, 0n))),
        nativeTx(inParts(createCandidate(3, 0n))),
      ],
      results: [
        { code: 0, gasUsed: 0n },
        { code: 5, gasUsed: 70_000n, log: 'insufficient funds', events: [{ type: 'tx', attributes: [] }] },
        { data: newData([{ hash: first.hash, gasUsed: 1n }]), gasUsed: 30_000n },
        { code: 32, gasWanted: -1n, log: 'nonce too low' },
        { code: 11, gasUsed: 80_000n, log: outOfGas },
        { code: 11, gasUsed: 9n, log: 'no block gas left to run tx: out of gas' },
        { code: 1, gasUsed: 9n, log: 'failed to apply transaction' },
      ],
    }
    const converted = convert(sample)
    expect(summary(converted)).toEqual([
      // One message alone: what the native transaction used.
      { hash: toHex(first.hash), status: true, cumulative: 30_000n, logs: 0, at: [2, 0] },
      // It paid for all of its gas.
      { hash: toHex(second.hash), status: false, cumulative: 120_000n, logs: 0, at: [4, 0] },
    ])
    expect(converted.header.gasUsed).toBe(180_000n)
    expect(
      converted.native.transactions.map(({ types, code, ethereumIndexes }) => [
        types?.length,
        code,
        ethereumIndexes,
      ]),
    ).toEqual([
      [undefined, 0, []],
      [1, 5, []],
      [1, 0, [0]],
      [1, 32, []],
      [1, 11, [1]],
      [1, 11, []],
      [1, 1, []],
    ])
    expect(converted.native.transactions[1]?.events).toEqual([{ type: 'tx', attributes: [] }])
  })

  it('are signed by whom the message names', () => {
    const data = newData([{ hash: first.hash, gasUsed: 1n }])
    const transactions = [nativeTx(asBytes(first, 'cosmos.evm.vm.v1', second.sender))]
    expect(() => convert({ transactions, results: [{ data }] })).toThrow('is signed by')
  })

  it('are kept as native transactions alone where they have a form that is not known', () => {
    const unknown = { ...first, raw: Uint8Array.of(0x66, ...first.raw.subarray(1)) }
    const transactions = [nativeTx(asBytes(unknown)), nativeTx(asBytes(second))]
    const data = newData([{ hash: second.hash, gasUsed: 1n }])
    const events = [message(first.hash, '5')]
    const { transactions: converted, native } = convert({ transactions, results: [{ events }, { data }] })
    expect(converted.map(({ hash }) => toHex(hash))).toEqual([toHex(second.hash)])
    const [kept, known] = native.transactions
    expect(kept).toMatchObject({ undecoded: expect.stringContaining('message 0'), ethereumIndexes: [] })
    expect(kept?.events.length).toBeGreaterThan(0)
    expect([kept, known].map((one) => one && isCosmosTransaction(one))).toEqual([true, false])
    const failed = convert({ transactions: transactions.slice(0, 1), results: [{ code: 2 }] }).native
      .transactions
    expect(failed.map((one) => [one.undecoded, isCosmosTransaction(one)])).toEqual([[undefined, false]])
  })

  it('have as many results', () => {
    const block = parseBlock(blockReply({ transactions: [nativeTx(bankSend)], results: [] }))
    const results = parseResults(resultsReply({ transactions: [], results: [] }))
    expect(() => convertBlock(block, results, conversionContext, exampleChainInfo)).toThrow(
      '1 transactions and 0 results',
    )
    const other = parseResults(resultsReply({ height: 8, transactions: [], results: [{}] }))
    expect(() => convertBlock(block, other, conversionContext, exampleChainInfo)).toThrow(
      'results of block 8',
    )
  })
})

describe('the header of a block', () => {
  const fee = (type: string, value: string): SampleEvent => ({ type, attributes: [['base_fee', value]] })
  const empty: SampleBlock = { transactions: [], results: [] }

  it('has the base fee of its events, in wei', () => {
    const baseFee = (events: readonly SampleEvent[], decimals = 18) =>
      convert({ ...empty, events }, { ...exampleChainInfo, decimals }).header.baseFeePerGas
    expect(baseFee([])).toBe(0n)
    expect(baseFee([fee('fee_market', '1000')])).toBe(1000n)
    expect(baseFee([fee('fee_market', '7.9')])).toBe(7n)
    expect(baseFee([fee('fee_market', '0.0025')], 6)).toBe(2_500_000_000n)
    expect(baseFee([fee('fee_market', '7.9'), fee('evm_fee_market', '8')])).toBe(8n)
    expect(() => baseFee([fee('fee_market', '-1')])).toThrow('not a decimal number')
    expect(() => baseFee([fee('evm_fee_market', '1.5')])).toThrow('not a number')
  })

  it('has no base fee that it could not hold', () => {
    const convertFee = (type: string, value: string, decimals = 18) =>
      convert({ ...empty, events: [fee(type, value)] }, { ...exampleChainInfo, decimals })
    const most = (1n << 256n) - 1n
    expect(convertFee('evm_fee_market', `${most}`).header.baseFeePerGas).toBe(most)
    for (const type of ['fee_market', 'evm_fee_market'])
      for (const value of ['9'.repeat(78), `${most + 1n}`])
        for (const decimals of [6, 18])
          expect(() => convertFee(type, value, decimals)).toThrow(
            new UpstreamError(`base_fee of ${type} is too large`),
          )
    const gas: SampleEvent = { type: 'block_gas', attributes: [['amount', '9'.repeat(78)]] }
    expect(() => convert({ ...empty, events: [gas] })).toThrow('amount of block_gas is too large')
  })

  it('keeps what the fee of the next block follows from', () => {
    const events = [
      fee('fee_market', '7.5'),
      {
        type: 'block_gas',
        attributes: [
          ['height', '7'],
          ['amount', '123'],
        ],
      } as const,
    ]
    expect(convert({ ...empty, events }).native.fees).toEqual({
      decimalBaseFee: 7_500_000_000_000_000_000n,
      blockGas: 123n,
      maxGas: 10_000_000n,
      nextMaxGas: 20_000_000n,
    })
  })

  it('has the fields of its fork and no others', () => {
    const { header, withdrawals, blobGasPrice } = convert(empty)
    expect(header).toMatchObject({
      difficulty: 0n,
      number: 7n,
      timestamp: 1_794_712_545n,
      gasLimit: 10_000_000n,
    })
    expect([header.withdrawalsRoot, header.requestsHash, withdrawals, blobGasPrice]).toEqual(
      Array(4).fill(undefined),
    )
    expect(header.beneficiary).toEqual(conversionContext.miner)
  })

  it('takes an application hash of any length for the root of the state', () => {
    const rootOf = (appHash: Uint8Array) => toHex(convert({ ...empty, appHash }).header.stateRoot)
    expect(rootOf(new Uint8Array(0))).toBe(`0x${'00'.repeat(32)}`)
    expect(rootOf(Uint8Array.of(1, 2))).toBe(`0x${'00'.repeat(30)}0102`)
    expect(rootOf(Uint8Array.from({ length: 40 }, (_, at) => at))).toBe(
      toHex(Uint8Array.from({ length: 32 }, (_, at) => at + 8)),
    )
  })

  it('has no limit of gas where the chain has none', () => {
    const block = parseBlock(blockReply(empty))
    const results = parseResults(resultsReply(empty))
    const { header } = convertBlock(block, results, { ...conversionContext, maxGas: -1n }, exampleChainInfo)
    expect(header.gasLimit).toBe(0xffff_ffffn)
  })

  it('is refused with a time before 1970', () => {
    expect(() => convert({ ...empty, time: '1969-12-31T23:59:59Z' })).toThrow('before 1970')
  })
})
