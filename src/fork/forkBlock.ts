import { equalBytes } from '../base/encoding/bytes.ts'
import { fromHex, toHex, toQuantity } from '../base/encoding/hex.ts'
import { decodeHeader, encodeHeader, type Header } from '../chain/block/header.ts'
import { type ChainError, unavailable } from '../chain/chainError.ts'
import { HeaderJsonError, parseReportedHeader, type ReportedHeader } from '../chain/json/parseHeader.ts'
import type { Answer } from './remote/answers.ts'
import { type AskOptions, describeRemote, type RemoteClient } from './remote/remoteClient.ts'
import { MalformedAnswerError, readQuantity } from './remote/values.ts'

/** The block of the remote chain on which a chain is built. */
export interface ForkBlock {
  /** The chain id of the remote. */
  readonly chainId: bigint
  readonly header: Header
  /** The hash that the remote reports; on chains that are not Ethereum's it is not that of the header. */
  readonly hash: Uint8Array
}

export const numberOf = ({ header }: ForkBlock): number => Number(header.number)

/** Returns the number of a block that is named by its distance from the newest one. */
const countBack = async (client: RemoteClient, distance: number, options: AskOptions): Promise<number> => {
  const { result } = await client.ask({ method: 'eth_blockNumber', params: [] }, options)
  return checked(client, async () => {
    const newest = Number(readQuantity(result, 53, 'eth_blockNumber'))
    if (distance > newest) throw new MalformedAnswerError(`has ${newest} blocks, not ${distance}`)
    return newest - distance
  })
}

/** Asks the remote for a block by its number, or for the newest one; by hash it must be the same. */
export const fetchForkBlock = async (
  client: RemoteClient,
  wanted: number | undefined,
  options: AskOptions = {},
): Promise<ForkBlock> => {
  const number = wanted !== undefined && wanted < 0 ? await countBack(client, -wanted, options) : wanted
  const tag = number === undefined ? 'latest' : toQuantity(number)
  const [chainId, byNumber] = await client.batch(
    [
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getBlockByNumber', params: [tag, false] },
    ],
    options,
  )
  return checked(client, async () => {
    const found = readBlock(byNumber as Answer, number === undefined ? 'newest block' : `block ${number}`)
    if (number !== undefined && found.header.number !== BigInt(number))
      throw new MalformedAnswerError(
        `answers a request for block ${number} with block ${found.header.number}`,
      )
    const byHash = await client.ask(
      { method: 'eth_getBlockByHash', params: [toHex(found.hash), false] },
      options,
    )
    const again = readBlock(byHash, `block ${toHex(found.hash)}`)
    if (
      !equalBytes(again.hash, found.hash) ||
      !equalBytes(encodeHeader(again.header), encodeHeader(found.header))
    )
      throw new MalformedAnswerError(`contradicts itself about block ${found.header.number}`)
    return { chainId: readQuantity((chainId as Answer).result, 256, 'eth_chainId'), ...found }
  })
}

/** Asks whether the remote still has the block. */
export const confirmForkBlock = async (
  client: RemoteClient,
  block: ForkBlock,
  options: AskOptions = {},
): Promise<void> => {
  const [chainId, byNumber] = await client.batch(
    [
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getBlockByNumber', params: [toQuantity(block.header.number), false] },
    ],
    options,
  )
  await checked(client, async () => {
    if (readQuantity((chainId as Answer).result, 256, 'eth_chainId') !== block.chainId)
      throw new MalformedAnswerError(`is not of chain ${block.chainId}`)
    const { hash } = readBlock(byNumber as Answer, `block ${block.header.number}`)
    if (!equalBytes(hash, block.hash)) throw new MalformedAnswerError(otherBlock(block))
  })
}

/** Says that the remote's block of the fork's number is another one. */
export const otherBlock = ({ header: { number }, hash }: ForkBlock): string =>
  `has another block ${number} than ${toHex(hash)}, which was forked: it was reorganized, or does not tell the truth`

const readBlock = ({ result, error }: Answer, what: string): ReportedHeader => {
  if (error !== undefined) throw new MalformedAnswerError(`does not give the ${what}: ${error.message}`)
  if (result === null || result === undefined) throw new MalformedAnswerError(`has no ${what}`)
  return parseReportedHeader(result)
}

const checked = async <T>(client: RemoteClient, read: () => Promise<T>): Promise<T> => {
  try {
    return await read()
  } catch (error) {
    if (error instanceof HeaderJsonError)
      throw remoteProblem(client, `answers a malformed block: ${error.message}`)
    if (error instanceof MalformedAnswerError) throw remoteProblem(client, error.message)
    throw error
  }
}

/** Creates the error for what the remote said or did not say. */
export const remoteProblem = ({ redaction }: RemoteClient, why: string): ChainError =>
  unavailable(describeRemote(redaction, why))

/** The block as it is posted to threads and kept in files. */
export interface ForkBlockMessage {
  readonly chainId: string
  readonly header: string
  readonly hash: string
}

export const toForkBlockMessage = ({ chainId, header, hash }: ForkBlock): ForkBlockMessage => ({
  chainId: chainId.toString(),
  header: toHex(encodeHeader(header)),
  hash: toHex(hash),
})

export const fromForkBlockMessage = ({ chainId, header, hash }: ForkBlockMessage): ForkBlock => ({
  chainId: BigInt(chainId),
  header: decodeHeader(fromHex(header)),
  hash: fromHex(hash),
})
