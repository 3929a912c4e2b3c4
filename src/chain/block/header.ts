import { keccak256 } from '../../base/crypto/crypto.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpInput, type RlpItem } from '../../base/encoding/rlp.ts'
import { encodeInteger } from '../transaction/encode.ts'
import { RlpListReader } from './rlpListReader.ts'

/** The header of a block, from Frontier to Osaka. A field that a fork added is undefined before it. */
export interface Header {
  readonly parentHash: Uint8Array
  readonly ommersHash: Uint8Array
  readonly beneficiary: Uint8Array
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  /** 256 bytes. */
  readonly logsBloom: Uint8Array
  /** Zero from Paris on. */
  readonly difficulty: bigint
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Seconds. */
  readonly timestamp: bigint
  readonly extraData: Uint8Array
  /** The value of PREVRANDAO from Paris on (EIP-4399). */
  readonly mixHash: Uint8Array
  /** 8 bytes. */
  readonly nonce: Uint8Array
  /** London, EIP-1559. */
  readonly baseFeePerGas?: bigint | undefined
  /** Shanghai, EIP-4895. */
  readonly withdrawalsRoot?: Uint8Array | undefined
  /** Cancun, EIP-4844. */
  readonly blobGasUsed?: bigint | undefined
  /** Cancun, EIP-4844. */
  readonly excessBlobGas?: bigint | undefined
  /** Cancun, EIP-4788. */
  readonly parentBeaconBlockRoot?: Uint8Array | undefined
  /** Prague, EIP-7685. */
  readonly requestsHash?: Uint8Array | undefined
}

/** The number of fields of a header: up to Berlin, London, Paris; Shanghai; Cancun; Prague and later. */
const fieldCounts: ReadonlySet<number> = new Set([15, 16, 17, 20, 21])

const present = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new RlpError(`header has no ${name}, but a field that comes after it`)
  return value
}

/** Returns the header as an RLP item, for the encoding of its block. */
export const headerFields = (header: Header): RlpInput[] => {
  const fields: RlpInput[] = [
    header.parentHash,
    header.ommersHash,
    header.beneficiary,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    encodeInteger(header.difficulty),
    encodeInteger(header.number),
    encodeInteger(header.gasLimit),
    encodeInteger(header.gasUsed),
    encodeInteger(header.timestamp),
    header.extraData,
    header.mixHash,
    header.nonce,
  ]
  const { requestsHash, parentBeaconBlockRoot, withdrawalsRoot, baseFeePerGas } = header
  const hasRequests = requestsHash !== undefined
  const hasBlobs =
    hasRequests || [parentBeaconBlockRoot, header.blobGasUsed, header.excessBlobGas].some(isSet)
  const hasWithdrawals = hasBlobs || withdrawalsRoot !== undefined
  if (hasWithdrawals || baseFeePerGas !== undefined)
    fields.push(encodeInteger(present(baseFeePerGas, 'baseFeePerGas')))
  if (hasWithdrawals) fields.push(present(withdrawalsRoot, 'withdrawalsRoot'))
  if (hasBlobs) {
    fields.push(encodeInteger(present(header.blobGasUsed, 'blobGasUsed')))
    fields.push(encodeInteger(present(header.excessBlobGas, 'excessBlobGas')))
    fields.push(present(parentBeaconBlockRoot, 'parentBeaconBlockRoot'))
  }
  if (hasRequests) fields.push(requestsHash)
  return fields
}

const isSet = (value: unknown): boolean => value !== undefined

export const encodeHeader = (header: Header): Uint8Array => encodeRlp(headerFields(header))

export const headerHash = (header: Header): Uint8Array => keccak256(encodeHeader(header))

/** Decodes a header; its byte fields are views into the decoded bytes. */
export const headerFromFields = (item: RlpItem | undefined): Header => {
  const fields = new RlpListReader(item, 'header')
  if (!fieldCounts.has(fields.count)) throw new RlpError(`header has ${fields.count} fields`)
  const header: Header = {
    parentHash: fields.fixed('parentHash', 32),
    ommersHash: fields.fixed('ommersHash', 32),
    beneficiary: fields.fixed('beneficiary', 20),
    stateRoot: fields.fixed('stateRoot', 32),
    transactionsRoot: fields.fixed('transactionsRoot', 32),
    receiptsRoot: fields.fixed('receiptsRoot', 32),
    logsBloom: fields.fixed('logsBloom', 256),
    difficulty: fields.integer('difficulty', 32),
    number: fields.integer('number', 8),
    gasLimit: fields.integer('gasLimit', 8),
    gasUsed: fields.integer('gasUsed', 8),
    timestamp: fields.integer('timestamp', 8),
    extraData: fields.bytes('extraData'),
    mixHash: fields.fixed('mixHash', 32),
    nonce: fields.fixed('nonce', 8),
    baseFeePerGas: fields.count > 15 ? fields.integer('baseFeePerGas', 32) : undefined,
    withdrawalsRoot: fields.count > 16 ? fields.fixed('withdrawalsRoot', 32) : undefined,
    blobGasUsed: fields.count > 17 ? fields.integer('blobGasUsed', 8) : undefined,
    excessBlobGas: fields.count > 17 ? fields.integer('excessBlobGas', 8) : undefined,
    parentBeaconBlockRoot: fields.count > 17 ? fields.fixed('parentBeaconBlockRoot', 32) : undefined,
    requestsHash: fields.count > 20 ? fields.fixed('requestsHash', 32) : undefined,
  }
  fields.end()
  return header
}

export const decodeHeader = (bytes: Uint8Array): Header => headerFromFields(decodeRlp(bytes))
