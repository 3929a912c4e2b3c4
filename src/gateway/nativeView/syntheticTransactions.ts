import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { fromBech32 } from '../../chain/bech32.ts'
import { createBloom } from '../../chain/block/bloom.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import { syntheticHash } from '../../chain/block/syntheticHash.ts'
import { createLogWriter } from '../../chain/json/logJson.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import { evmTypeName } from '../../cosmos/transaction/typeNames.ts'
import type { NativeTransactionInfo } from '../../families/convert/convertedBlock.ts'
import { syntheticAddress, toSyntheticLogs } from './syntheticLogs.ts'

/**
 * Cosmos transactions in the form of Ethereum transactions (docs/cosmos-view.md). They come after the Ethereum ones of
 * their block and change nothing else of it: hashes, roots, blooms and gas are those of the default view.
 */

/**
 * The type of synthetic transactions. EIP-2718 has types up to 0x7f, and bytes from 0xc0 on begin a list, so that no
 * Ethereum transaction can have it.
 */
const syntheticType = '0x9c'

/**
 * Returns whether a message type is not a Cosmos transaction: Ethereum messages, and the proposer entry of a Perihelion
 * chain.
 */
const isNotCosmos = (type: string): boolean =>
  evmTypeName(type) === 'MsgEthereumTx' || type.startsWith('/perihelion.')

type Carrier = Pick<NativeTransactionInfo, 'types' | 'code' | 'ethereumIndexes'>

/** Returns whether a transaction was executed whose Ethereum messages are not understood. */
const isUndecoded = ({ types, code, ethereumIndexes }: Carrier): boolean =>
  code === 0 &&
  ethereumIndexes.length === 0 &&
  types?.some((type) => type.startsWith('/perihelion.')) === false

/**
 * Returns whether a native transaction is a Cosmos transaction: one of the SDK that carries no Ethereum transaction, or
 * none that is understood.
 */
export const isCosmosTransaction = (carrier: Carrier): boolean => {
  const { types } = carrier
  return types !== undefined && types.length > 0 && (!types.some(isNotCosmos) || isUndecoded(carrier))
}

/** The values of the block that synthetic transactions need. */
export interface SyntheticContext {
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly blockTimestamp: bigint
  readonly chainId: bigint
  /** The number of Ethereum transactions and logs in the block, and the gas that they used. */
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

/** Returns the fee payer, or else the first sender in the events; the zero address if it is not a 20-byte address. */
export const senderOf = (events: readonly TextEvent[]): Uint8Array => {
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

/** Appends a member to the text of a JSON object. */
const withMember = (object: string, name: string, value: unknown): string =>
  `${object.slice(0, -1)},"${name}":${JSON.stringify(value)}}`

/** Returns a synthetic transaction for every Cosmos transaction of a native block, in their order. */
export const toSyntheticTransactions = (
  transactions: readonly NativeTransactionInfo[],
  context: SyntheticContext,
): readonly SyntheticTransaction[] => {
  let logIndex = context.logCount
  let cumulativeGas = context.gasUsed
  return transactions.filter(isCosmosTransaction).map((info, position) => {
    const transactionIndex = context.transactionCount + position
    const hash = syntheticHash(info.hash)
    const from = senderOf(info.events)
    cumulativeGas += info.gasUsed
    const mark = {
      hash: Buffer.from(info.hash).toString('hex').toUpperCase(),
      index: transactions.indexOf(info),
      types: info.types,
      code: info.code,
      ...(info.code === 0 ? {} : { codespace: info.codespace, log: info.log }),
    }
    const write = createLogWriter({ ...context, transactionHash: hash, transactionIndex })
    const logs = toSyntheticLogs(info.events).map(({ cosmos, ...log }) => ({
      ...log,
      json: withMember(write(log, logIndex++), 'cosmos', cosmos),
    }))
    const location = {
      blockHash: toHex(context.blockHash),
      blockNumber: toQuantity(context.blockNumber),
      transactionIndex: toQuantity(transactionIndex),
      from: toHex(from),
      to: toHex(syntheticAddress),
      type: syntheticType,
    }
    const json = JSON.stringify({
      ...location,
      hash: toHex(hash),
      blockTimestamp: toQuantity(context.blockTimestamp),
      nonce: '0x0',
      value: '0x0',
      gas: atLeastZero(info.gasWanted),
      gasPrice: '0x0',
      input: '0x',
      chainId: toQuantity(context.chainId),
      v: '0x0',
      r: '0x0',
      s: '0x0',
      cosmos: mark,
    })
    const receipt = JSON.stringify({
      ...location,
      transactionHash: toHex(hash),
      status: info.code === 0 ? '0x1' : '0x0',
      gasUsed: atLeastZero(info.gasUsed),
      cumulativeGasUsed: toQuantity(cumulativeGas),
      effectiveGasPrice: '0x0',
      contractAddress: null,
      logsBloom: toHex(createBloom(logs)),
      cosmos: mark,
    })
    const receiptJson = `${receipt.slice(0, -1)},"logs":[${logs.map((log) => log.json).join(',')}]}`
    return { hash, json, receiptJson, logs }
  })
}
