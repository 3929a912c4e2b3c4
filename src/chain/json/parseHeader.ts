import { fromHex } from '../../base/encoding/hex.ts'
import { ommersHash } from '../block/block.ts'
import { bloomLength } from '../block/bloom.ts'
import type { Header } from '../block/header.ts'

/** The header of a block as another node answers it, and the hash that it reports. */
export interface ReportedHeader {
  readonly header: Header
  readonly hash: Uint8Array
}

/** Thrown for a member that a header needs and that is missing or malformed. */
export class HeaderJsonError extends Error {
  override readonly name = 'HeaderJsonError'
}

type Members = Readonly<Record<string, unknown>>

const noOmmers = ommersHash([])

const quantity = (members: Members, name: string): bigint | undefined => {
  const value = members[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw new HeaderJsonError(`its ${name} is not a QUANTITY`)
  return BigInt(value)
}

const data = (members: Members, name: string, length?: number): Uint8Array | undefined => {
  const value = members[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(value))
    throw new HeaderJsonError(`its ${name} is not DATA`)
  const bytes = fromHex(value)
  if (length !== undefined && bytes.length !== length)
    throw new HeaderJsonError(`its ${name} has ${bytes.length} bytes, not ${length}`)
  return bytes
}

const required = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new HeaderJsonError(`it has no ${name}`)
  return value
}

/**
 * Reads the header from a block's JSON. Chains that are not Ethereum's leave members out or have others, so that only what a
 * next block needs is required, and the hash is the reported one, not that of the header.
 */
export const parseReportedHeader = (json: unknown): ReportedHeader => {
  if (typeof json !== 'object' || json === null) throw new HeaderJsonError('it is not an object')
  const members = json as Members
  const zeros = (length: number): Uint8Array => new Uint8Array(length)
  const need = (name: string): bigint => required(quantity(members, name), name)
  const hashOf = (name: string): Uint8Array => data(members, name, 32) ?? zeros(32)
  const header: Header = {
    parentHash: required(data(members, 'parentHash', 32), 'parentHash'),
    ommersHash: data(members, 'sha3Uncles', 32) ?? noOmmers,
    beneficiary: data(members, 'miner', 20) ?? zeros(20),
    stateRoot: hashOf('stateRoot'),
    transactionsRoot: hashOf('transactionsRoot'),
    receiptsRoot: hashOf('receiptsRoot'),
    logsBloom: data(members, 'logsBloom', bloomLength) ?? zeros(bloomLength),
    difficulty: quantity(members, 'difficulty') ?? 0n,
    number: need('number'),
    gasLimit: need('gasLimit'),
    gasUsed: quantity(members, 'gasUsed') ?? 0n,
    timestamp: need('timestamp'),
    extraData: data(members, 'extraData') ?? zeros(0),
    mixHash: hashOf('mixHash'),
    nonce: data(members, 'nonce', 8) ?? zeros(8),
    ...laterMembers(members),
  }
  return { header, hash: required(data(members, 'hash', 32), 'hash') }
}

/** Returns the members that forks added, up to the first that is missing: the encoding has no gaps. */
const laterMembers = (members: Members): Partial<Header> => {
  const baseFeePerGas = quantity(members, 'baseFeePerGas')
  if (baseFeePerGas === undefined) return {}
  const withdrawalsRoot = data(members, 'withdrawalsRoot', 32)
  if (withdrawalsRoot === undefined) return { baseFeePerGas }
  const blobGasUsed = quantity(members, 'blobGasUsed')
  const excessBlobGas = quantity(members, 'excessBlobGas')
  const parentBeaconBlockRoot = data(members, 'parentBeaconBlockRoot', 32)
  if (blobGasUsed === undefined || excessBlobGas === undefined || parentBeaconBlockRoot === undefined)
    return { baseFeePerGas, withdrawalsRoot }
  const requestsHash = data(members, 'requestsHash', 32)
  return { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash }
}
