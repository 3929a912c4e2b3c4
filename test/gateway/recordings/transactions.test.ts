import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import { decodeContents } from '../../../src/cosmos/transaction/contents.ts'
import { nativeHash } from '../../../src/cosmos/transaction/nativeHash.ts'
import { dialectOf } from '../../../src/families/families.ts'
import { encodeForMempool } from '../../../src/gateway/sending/encodeForMempool.ts'
import { chainInfo, convertedAt, recorded, served } from './recordings.ts'

type Json = Readonly<Record<string, unknown>>

interface Recorded {
  readonly hash: string
  readonly tx_search: readonly {
    readonly hash: string
    readonly height: string
    readonly index: number
    readonly tx: string
  }[]
  readonly eth_getTransactionByHash: Json | null
  readonly eth_getTransactionReceipt: Json | null
}

const transactions: [string, Recorded][] = Object.entries(recorded('txs.json'))
const included = transactions.filter(([, { tx_search: found }]) => found.length > 0)

/**
 * Where the recorded server is wrong: eth_getTransactionReceipt gives the gas of the transaction alone as the cumulative
 * one (its eth_getBlockReceipts does not). One that is the first of its block is right by chance.
 */
const wrongCumulativeGas = [
  'set',
  'fail',
  'burn(OOG)',
  'make',
  'many3',
  'invalid',
  'legacy',
  'failCustom',
  'createfail',
  'x_other',
]

describe('recorded transactions', () => {
  const find = ({ hash, tx_search: [found] }: Recorded) => {
    const converted = convertedAt(Number(found?.height))
    const index = converted.transactions.findIndex((transaction) => toHex(transaction.hash) === hash)
    const { transactions: objects, receipts } = served(converted)
    return {
      converted,
      place: converted.transactions[index]?.location,
      object: objects[index],
      receipt: receipts[index],
    }
  }

  it.each(included)('%s is the object that its node gives', (_, wanted) => {
    const { object, place } = find(wanted)
    const { blockTimestamp, ...transaction } = object
    expect(transaction).toEqual(wanted.eth_getTransactionByHash)
    expect(place).toMatchObject({ nativeIndex: wanted.tx_search[0]?.index, messageIndex: 0 })
    expect(toHex(place?.nativeHash ?? new Uint8Array(0))).toBe(`0x${wanted.tx_search[0]?.hash.toLowerCase()}`)
  })

  it.each(included)('%s has the receipt that its node gives', (name, wanted) => {
    const { receipt } = find(wanted)
    const expected = wanted.eth_getTransactionReceipt
    if (!wrongCumulativeGas.includes(name)) return expect(receipt).toEqual(expected)
    expect(expected?.cumulativeGasUsed).toBe(expected?.gasUsed)
    expect(receipt.cumulativeGasUsed).not.toBe(expected?.cumulativeGasUsed)
    expect(receipt).toEqual({ ...expected, cumulativeGasUsed: receipt.cumulativeGasUsed })
  })

  it.each(included)('%s is wrapped as it was sent', (_, { hash, tx_search: [found] }) => {
    const bytes = Buffer.from(found?.tx ?? '', 'base64')
    const [message] = decodeContents(bytes)?.ethereum ?? []
    expect(toHex(message?.hash ?? bytes)).toBe(hash)
    const sender = fromHex(String(recorded('txs.json')[_].eth_getTransactionByHash.from))
    expect(toHex(encodeForMempool(message?.raw ?? bytes, sender, dialectOf(chainInfo)))).toBe(toHex(bytes))
    expect(toHex(nativeHash(bytes))).toBe(`0x${found?.hash.toLowerCase()}`)
  })

  it('one that failed before it was executed is not there', () => {
    const [, lost] = transactions.find(([name]) => name === 'x_loser') ?? []
    expect(lost).toMatchObject({ eth_getTransactionByHash: null, eth_getTransactionReceipt: null })
    const { transactions: served, native } = convertedAt(251)
    expect(served.map(({ hash }) => toHex(hash))).not.toContain(lost?.hash)
    expect(native.transactions[1]).toMatchObject({
      code: 5,
      ethereumIndexes: [],
      types: ['/cosmos.evm.vm.v1.MsgEthereumTx'],
    })
  })

  it('a Cosmos transaction is kept beside the block and takes no index in it', () => {
    const { native, transactions: served } = convertedAt(144)
    expect(served).toHaveLength(10)
    const [cosmos] = native.transactions.slice(10)
    expect(cosmos).toMatchObject({
      code: 0,
      types: ['/cosmos.bank.v1beta1.MsgSend'],
      ethereumIndexes: [],
    })
    expect(cosmos?.events.map(({ type }) => type)).toContain('transfer')
    expect(convertedAt(219).native.transactions.map(({ code }) => code)).toContain(5)
  })
})
