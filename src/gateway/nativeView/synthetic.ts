import { keccak256 } from '../../base/crypto.ts'
import { toHex, toQuantity } from '../../base/hex.ts'
import { fromBech32 } from '../../chain/bech32.ts'
import { bloomOfLogs } from '../../chain/block/bloom.ts'
import type { Log } from '../../chain/block/log.ts'
import { syntheticHash } from '../../chain/block/syntheticHash.ts'
import { logWriter } from '../../chain/json/log.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { evmTypeName } from '../../cosmos/transaction/typeNames.ts'
import type { NativeTransactionFacts } from '../convert/converted.ts'

/**
 * Cosmos transactions in the shapes of Ethereum's (docs/cosmos-view.md). They come after the Ethereum ones of their
 * block, and nothing else of the block knows of them: hashes, roots, blooms and gas are those of the default view.
 */

/** EIP-2718 has types up to 0x7f, and what begins with 0xc0 is a list: no Ethereum transaction can have it. */
const syntheticType = '0x9c'

/** From which synthetic logs come and to which synthetic transactions go: nobody has its key. */
export const syntheticAddress: Uint8Array = keccak256(Buffer.from('cosmos')).subarray(12)

export const topicOf = (eventType: string): Uint8Array => keccak256(Buffer.from(`cosmos:${eventType}`))

/** What a proposer of a Perihelion chain adds to its block looks like a transaction, and is none. */
const isNotCosmos = (type: string): boolean =>
  evmTypeName(type) === 'MsgEthereumTx' || type.startsWith('/perihelion.')

/** One of the Cosmos SDK's own: neither a carrier of Ethereum ones nor bytes of another meaning. */
export const isCosmosTransaction = ({ types }: Pick<NativeTransactionFacts, 'types'>): boolean =>
  types !== undefined && types.length > 0 && !types.some(isNotCosmos)

/** What of a block the synthetic ones need. */
export interface SyntheticSurroundings {
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly blockTimestamp: bigint
  readonly chainId: bigint
  /** How many Ethereum transactions and logs come before, and the gas that they used. */
  readonly transactionCount: number
  readonly logCount: number
  readonly gasUsed: bigint
}

export interface SyntheticTransaction {
  readonly hash: Uint8Array
  readonly json: string
  readonly receiptJson: string
  readonly logs: readonly (Log & { readonly json: string })[]
}

const logOf = ({ type, attributes }: TextEvent): Log => ({
  address: syntheticAddress,
  topics: [topicOf(type)],
  // A list: a key may come more than once.
  data: Buffer.from(JSON.stringify(attributes.map(({ key, value }) => ({ key, value })))),
})

/** Who pays, else the first who sends, as far as the events tell; zero for addresses that Ethereum has no form for. */
const senderOf = (events: readonly TextEvent[]): Uint8Array => {
  const attributeOf = (type: string, key: string): string | undefined =>
    events
      .filter((event) => event.type === type)
      .flatMap(({ attributes }) => attributes)
      .find((attribute) => attribute.key === key)?.value
  const text = attributeOf('tx', 'fee_payer') ?? attributeOf('message', 'sender')
  try {
    const { bytes } = fromBech32(text ?? '')
    return bytes.length === 20 ? bytes : new Uint8Array(20)
  } catch {
    return new Uint8Array(20)
  }
}

const atLeastZero = (value: bigint): string => toQuantity(value < 0n ? 0n : value)

/** Puts one more member at the end of an object's text. */
const withMember = (object: string, name: string, value: unknown): string =>
  `${object.slice(0, -1)},"${name}":${JSON.stringify(value)}}`

/** Every Cosmos transaction of a native block, in order. */
export const syntheticTransactions = (
  transactions: readonly NativeTransactionFacts[],
  around: SyntheticSurroundings,
): readonly SyntheticTransaction[] => {
  let logIndex = around.logCount
  let cumulativeGas = around.gasUsed
  return transactions.filter(isCosmosTransaction).map((facts, position) => {
    const transactionIndex = around.transactionCount + position
    const hash = syntheticHash(facts.hash)
    const from = senderOf(facts.events)
    cumulativeGas += facts.gasUsed
    const mark = {
      hash: Buffer.from(facts.hash).toString('hex').toUpperCase(),
      index: transactions.indexOf(facts),
      types: facts.types,
      code: facts.code,
      ...(facts.code === 0 ? {} : { codespace: facts.codespace, log: facts.log }),
    }
    const write = logWriter({ ...around, transactionHash: hash, transactionIndex })
    const logs = facts.events.map((event) => {
      const log = logOf(event)
      return { ...log, json: withMember(write(log, logIndex++), 'cosmos', { event: event.type }) }
    })
    const place = {
      blockHash: toHex(around.blockHash),
      blockNumber: toQuantity(around.blockNumber),
      transactionIndex: toQuantity(transactionIndex),
      from: toHex(from),
      to: toHex(syntheticAddress),
      type: syntheticType,
    }
    const json = JSON.stringify({
      ...place,
      hash: toHex(hash),
      blockTimestamp: toQuantity(around.blockTimestamp),
      nonce: '0x0',
      value: '0x0',
      gas: atLeastZero(facts.gasWanted),
      gasPrice: '0x0',
      input: '0x',
      chainId: toQuantity(around.chainId),
      v: '0x0',
      r: '0x0',
      s: '0x0',
      cosmos: mark,
    })
    const receipt = JSON.stringify({
      ...place,
      transactionHash: toHex(hash),
      status: facts.code === 0 ? '0x1' : '0x0',
      gasUsed: atLeastZero(facts.gasUsed),
      cumulativeGasUsed: toQuantity(cumulativeGas),
      effectiveGasPrice: '0x0',
      contractAddress: null,
      logsBloom: toHex(bloomOfLogs(logs)),
      cosmos: mark,
    })
    const receiptJson = `${receipt.slice(0, -1)},"logs":[${logs.map((log) => log.json).join(',')}]}`
    return { hash, json, receiptJson, logs }
  })
}
