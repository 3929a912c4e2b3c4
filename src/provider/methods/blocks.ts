import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { headerJson } from '../../chain/json/headerJson.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import type { Session } from '../chain.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { askProven } from '../endpoints/endpoints.ts'
import { invalidParams } from '../lightError.ts'
import { type ProvenHeader, parseMembers } from '../proving/answers.ts'
import {
  blockResult,
  type ProvenBlock,
  type ReceiptResult,
  receiptResults,
  transactionResult,
} from '../proving/blocks.ts'
import type { LightMethods } from './method.ts'
import { blockAt, hashAt, quantityAt } from './params.ts'

const findBlock = async (session: Session, params: readonly unknown[]): Promise<ProvenBlock | undefined> => {
  const header = await findHeader(session, params)
  return header && session.block(header)
}

const findHeader = (session: Session, params: readonly unknown[]): Promise<ProvenHeader | undefined> =>
  session.find(blockAt(params, 0))

const getBlock = async (session: Session, params: readonly unknown[]): Promise<unknown> => {
  if (typeof params[1] !== 'boolean')
    throw invalidParams('parameter 2 (fullTransactions): expected true or false')
  const block = await findBlock(session, params)
  return block === undefined ? null : blockResult(block, params[1])
}

const getHeader = async (session: Session, params: readonly unknown[]): Promise<unknown> => {
  const found = await findHeader(session, params)
  return found === undefined ? null : JSON.parse(headerJson(found.header, found.hash))
}

const countTransactions = async (session: Session, params: readonly unknown[]): Promise<unknown> => {
  const block = await findBlock(session, params)
  return block === undefined ? null : toQuantity(block.transactions.length)
}

const byIndex = async (session: Session, params: readonly unknown[]): Promise<unknown> => {
  const index = quantityAt(params, 1)
  const block = await findBlock(session, params)
  return block === undefined ? null : transactionResult(block, index)
}

const rawByIndex = async (session: Session, params: readonly unknown[]): Promise<unknown> => {
  const index = quantityAt(params, 1)
  const found = (await findBlock(session, params))?.transactions[index]
  return found === undefined ? '0x' : toHex(found.raw)
}

/** Returns where a transaction is. All endpoints are asked before there is none: that alone nothing proves. */
const locate = (session: Session, hash: Uint8Array) =>
  session.chain.endpoints.find(session.endpoint, (endpoint) => locateBy(session, endpoint, hash))

const locateBy = async (session: Session, endpoint: Endpoint, hash: Uint8Array) => {
  const id = toHex(hash)
  return askProven(endpoint, 'eth_getTransactionByHash', [id], async (answer) => {
    if (answer === null) return undefined
    const { blockNumber } = parseMembers(answer, 'the transaction')
    if (blockNumber === null) return undefined
    if (typeof blockNumber !== 'string' || !/^0x[0-9a-f]{1,13}$/.test(blockNumber))
      throw new UpstreamError(`${id} is said to be in a block without a number`)
    const number = Number(blockNumber)
    // A transaction in a block that is not proven yet is not in a block yet.
    if (number > session.head.number) return undefined
    const block = await session.block(await session.header({ number }))
    const index = block.transactions.findIndex((one) => equalBytes(one.hash, hash))
    if (index < 0) throw new UpstreamError(`${id} is said to be in block ${number}, which does not have it`)
    return { block, index }
  })
}

const receiptsOf = async (session: Session, block: ProvenBlock): Promise<readonly ReceiptResult[]> => {
  const receipts = await session.receipts(block)
  const hasBlobs = block.transactions.some(({ transaction }) => transaction.type === 3)
  return receiptResults(block, receipts, hasBlobs ? await session.config() : undefined)
}

export const readReceipts = receiptsOf

export const blockMethods: LightMethods = {
  eth_blockNumber: async ({ head }) => toQuantity(head.number),
  eth_getBlockByNumber: getBlock,
  eth_getBlockByHash: getBlock,
  eth_getHeaderByNumber: getHeader,
  eth_getHeaderByHash: getHeader,
  eth_getBlockTransactionCountByNumber: countTransactions,
  eth_getBlockTransactionCountByHash: countTransactions,
  eth_getUncleCountByBlockNumber: async (session, params) =>
    (await findHeader(session, params)) === undefined ? null : '0x0',
  eth_getUncleCountByBlockHash: async (session, params) =>
    (await findHeader(session, params)) === undefined ? null : '0x0',
  eth_getTransactionByBlockNumberAndIndex: byIndex,
  eth_getTransactionByBlockHashAndIndex: byIndex,
  eth_getRawTransactionByBlockNumberAndIndex: rawByIndex,
  eth_getRawTransactionByBlockHashAndIndex: rawByIndex,
  eth_getTransactionByHash: async (session, params) => {
    const found = await locate(session, hashAt(params, 0))
    return found === undefined ? null : transactionResult(found.block, found.index)
  },
  eth_getRawTransactionByHash: async (session, params) => {
    const found = await locate(session, hashAt(params, 0))
    return found === undefined
      ? '0x'
      : toHex((found.block.transactions[found.index] as { raw: Uint8Array }).raw)
  },
  eth_getTransactionReceipt: async (session, params) => {
    const found = await locate(session, hashAt(params, 0))
    return found === undefined ? null : ((await receiptsOf(session, found.block))[found.index] ?? null)
  },
  eth_getBlockReceipts: async (session, params) => {
    const block = await findBlock(session, params)
    return block === undefined ? null : receiptsOf(session, block)
  },
}
