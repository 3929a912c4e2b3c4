import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { firstBlock } from '../../../test/support/blocks.ts'
import {
  type RecordedBlock,
  type RecordedEvent,
  readRecording,
  recordedHeights,
} from '../../../test/support/nativeRecordings.ts'
import type { IncludedTransaction } from '../../app/executeBlock.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { createBloom, mergeBlooms } from '../../chain/block/bloom.ts'
import { decodeHeader, type Header } from '../../chain/block/header.ts'
import { createReceipt } from '../../chain/block/receipt.ts'
import type { HaltReason } from '../../evm/types.ts'
import { TxMsgDataSchema } from '../gen/cosmos/base/abci/v1beta1/abci_pb.ts'
import { type MsgEthereumTxResponse, MsgEthereumTxResponseSchema } from '../gen/cosmos/evm/vm/v1/tx_pb.ts'
import { perihelionDialect } from '../transaction/dialect.ts'
import { unwrapTransaction } from '../transaction/unwrap.ts'
import { resultsVersion, toIncludedResult, toRejectedResult, toRejection } from './buildResults.ts'
import { type NativeEvent, toBlockEvents } from './nativeEvents.ts'
import { ResponseSpace } from './responseSpace.ts'

/** A recorded transaction of the Ethereum block, decoded with our messages. */
interface Recorded extends IncludedTransaction {
  readonly native: Uint8Array
  readonly data: Uint8Array
  readonly response: MsgEthereumTxResponse
  readonly events: readonly RecordedEvent[]
}

const responseOf = (data: Uint8Array): MsgEthereumTxResponse => {
  const [any] = fromBinary(TxMsgDataSchema, data).msgResponses
  expect(any?.typeUrl).toBe('/cosmos.evm.vm.v1.MsgEthereumTxResponse')
  return fromBinary(MsgEthereumTxResponseSchema, any?.value ?? new Uint8Array(0))
}

const toLogs = (response: MsgEthereumTxResponse) =>
  response.logs.map(({ address, topics, data }) => ({
    address: fromHex(address),
    topics: topics.map(fromHex),
    data,
  }))

/** Returns the inputs from which our execution would give the recorded results. */
const readBlock = ({ txs, results }: RecordedBlock): Recorded[] =>
  txs.flatMap((bytes, at) => {
    const recorded = results[at]
    const { native } = unwrapTransaction(bytes, { ...perihelionDialect, feeDenom: 'atest' })
    if (recorded?.code !== 0 || recorded.data === null || native === undefined) return []
    const data = Buffer.from(recorded.data, 'base64')
    const response = responseOf(data)
    const logs = toLogs(response)
    const { transaction, raw, from } = native
    return [
      {
        native: bytes,
        data,
        response,
        events: recorded.events,
        transaction,
        raw,
        hash: keccak256(raw),
        sender: from,
        result: {
          valid: true,
          success: response.vmError === '',
          error: (response.vmError || undefined) as HaltReason | undefined, // cosmos/evm has similar texts
          gasUsed: BigInt(recorded.gas_used),
          refund: 0n,
          output: response.ret,
          logs,
          created: undefined,
          peakGas: response.maxUsedGas,
          effectiveGasPrice: 0n,
          blobGasUsed: 0n,
        },
        receipt: createReceipt({
          type: transaction.type,
          outcome: response.vmError === '',
          cumulativeGasUsed: 0n,
          logs,
        }),
      },
    ]
  })

const headerOf = ({ height, time }: RecordedBlock, fields: Partial<Header> = {}): Header => ({
  ...firstBlock().header,
  number: BigInt(height),
  timestamp: time,
  ...fields,
})

const textOf = ({ type, attributes }: NativeEvent) => ({
  type,
  attributes: attributes.map(({ key, value, index }) => ({
    key,
    value: Buffer.from(value).toString(),
    index,
  })),
})

/** Whether an event is of a module that a Perihelion chain has too. */
const isOurs = ({ type, attributes }: RecordedEvent): boolean =>
  type === 'ethereum_tx' || (type === 'message' && attributes.length > 2)

describe.each(recordedHeights)('the results of block %i of a recorded chain', (height) => {
  test('are ours in data: every field but logs and error text, in the same order', () => {
    const block = readRecording(height)
    const included = readBlock(block)
    expect(included.length).toBeGreaterThan(0)
    for (const [txIndex, recorded] of included.entries()) {
      const { code, data, gasWanted, gasUsed } = toIncludedResult(
        recorded,
        recorded.native,
        { header: headerOf(block), hash: block.hash },
        txIndex,
        new ResponseSpace(),
      )
      expect(code).toBe(recorded.response.vmError === '' ? 0 : 1)
      expect(gasWanted).toBe(recorded.transaction.gasLimit)
      expect(gasUsed).toBe(recorded.result.gasUsed)
      const theirs = {
        ...recorded.response,
        logs: [],
        vmError: '',
        ret: recorded.response.ret.subarray(0, 1024),
      }
      expect(Buffer.from(toBinary(MsgEthereumTxResponseSchema, responseOf(data))).toString('hex')).toBe(
        Buffer.from(toBinary(MsgEthereumTxResponseSchema, theirs)).toString('hex'),
      )
      // The recorded bytes hold no field that our messages do not know.
      expect(Buffer.from(toBinary(TxMsgDataSchema, fromBinary(TxMsgDataSchema, recorded.data)))).toEqual(
        recorded.data,
      )
      expect(recorded.response.$unknown).toBeUndefined()
    }
  })

  test('are ours in events: names, attributes, order and values', () => {
    const block = readRecording(height)
    for (const [txIndex, recorded] of readBlock(block).entries()) {
      const { events } = toIncludedResult(
        recorded,
        recorded.native,
        { header: headerOf(block), hash: block.hash },
        txIndex,
        new ResponseSpace(),
      )
      const theirs = recorded.events.filter(isOurs)
      // The only address in the recording that is bech32.
      const sender = theirs[1]?.attributes[1]
      expect(sender).toMatchObject({ key: 'sender', value: expect.stringMatching(/^cosmos1/) })
      const ours = events.filter(({ type }) => type !== 'tx_log').map(textOf)
      Object.assign(ours[1]?.attributes[1] ?? {}, { value: sender?.value })
      expect(ours).toEqual(theirs)
    }
  })

  test('are ours in the events of the block', () => {
    const block = readRecording(height)
    const recorded = readBlock(block)
    const find = (type: string) => block.events.find((event) => event.type === type)
    const valueIn = (type: string, key: string): string =>
      find(type)?.attributes.find((attribute) => attribute.key === key)?.value ?? ''
    const header = headerOf(block, {
      baseFeePerGas: BigInt(valueIn('evm_fee_market', 'base_fee')),
      gasUsed: BigInt(valueIn('block_gas', 'amount')),
      logsBloom: mergeBlooms(recorded.map(({ result }) => createBloom(result.logs))),
    })
    const ours = toBlockEvents(header, resultsVersion)
    const shape = (events: readonly (RecordedEvent | NativeEvent)[]) =>
      events.map(({ type, attributes }) => [type, ...attributes.map(({ key }) => key)])
    const known = ['fee_market', 'evm_fee_market', 'block_bloom', 'block_gas']
    expect(shape(ours)).toEqual([
      ...shape(block.events.filter(({ type }) => known.includes(type))),
      ['ethereum_header', 'rlp', 'mode'],
      ['ethereum_results', 'version', 'mode'],
    ])
    expect(textOf(ours[1] as NativeEvent)).toEqual(find('evm_fee_market'))
    expect(textOf(ours[3] as NativeEvent)).toEqual(find('block_gas'))
    // JSON has U+FFFD for bytes that are not UTF-8; a reader of our events would see the same.
    expect(textOf(ours[2] as NativeEvent).attributes[0]?.value).toBe(valueIn('block_bloom', 'bloom'))
    const rlp = ours[4]?.attributes[0]?.value ?? new Uint8Array(0)
    expect(decodeHeader(new Uint8Array(Buffer.from(Buffer.from(rlp).toString(), 'base64')))).toEqual(header)
  })
})

test('a transaction that had no place has the shape of a recorded one', () => {
  const { data, log, ...theirs } = readRecording(251).results[1] ?? {}
  const {
    gasWanted,
    gasUsed,
    data: ourData,
    log: ourLog,
    ...ours
  } = toRejectedResult(toRejection('insufficient funds for gas * price + value'))
  expect({ ...ours, info: '', gas_wanted: String(gasWanted), gas_used: String(gasUsed) }).toEqual(theirs)
  expect([ourData.length, data]).toEqual([0, null])
  expect([ourLog, log]).toEqual([expect.stringContaining('insufficient funds'), expect.any(String)])
})
