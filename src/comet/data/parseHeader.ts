import { maxUint64 } from '../../base/encoding/bytes.ts'
import { parseHeight, parseHex, parseInt64, parseObject, parseText, parseUint32 } from './fields.ts'
import type { NativeBlockId, NativeHeader } from './nativeBlock.ts'
import { parseTime } from './nativeTime.ts'

/** CometBFT's limit of the length of a chain id. */
const maxChainIdLength = 50

/** Parses a protocol version, which is omitted if it is zero. */
const versionOf = (value: unknown, where: string): bigint =>
  value === undefined ? 0n : parseInt64(value, where, 0n, maxUint64)

export const parseBlockId = (value: unknown, where: string): NativeBlockId => {
  const id = parseObject(value, where)
  const parts = parseObject(id.parts, `${where}.parts`)
  return {
    hash: parseHex(id.hash, `${where}.hash`, 32, 0),
    partsTotal: parseUint32(parts.total, `${where}.parts.total`),
    partsHash: parseHex(parts.hash, `${where}.parts.hash`, 32, 0),
  }
}

/** The allowed lengths of an application hash, which may be shorter than 32 bytes before there is a state. */
const appHashLengths = Array.from({ length: 65 }, (_, length) => length)

export const parseHeader = (value: unknown, where = 'header'): NativeHeader => {
  const header = parseObject(value, where)
  const version = parseObject(header.version, `${where}.version`)
  const hash = (name: string): Uint8Array => parseHex(header[name], `${where}.${name}`, 32)
  return {
    versionBlock: versionOf(version.block, `${where}.version.block`),
    versionApp: versionOf(version.app, `${where}.version.app`),
    chainId: parseText(header.chain_id, `${where}.chain_id`, maxChainIdLength),
    height: parseHeight(header.height, `${where}.height`),
    time: parseTime(header.time, `${where}.time`),
    lastBlockId: parseBlockId(header.last_block_id, `${where}.last_block_id`),
    lastCommitHash: parseHex(header.last_commit_hash, `${where}.last_commit_hash`, 32, 0),
    dataHash: parseHex(header.data_hash, `${where}.data_hash`, 32, 0),
    validatorsHash: hash('validators_hash'),
    nextValidatorsHash: hash('next_validators_hash'),
    consensusHash: hash('consensus_hash'),
    appHash: parseHex(header.app_hash, `${where}.app_hash`, ...appHashLengths),
    lastResultsHash: parseHex(header.last_results_hash, `${where}.last_results_hash`, 32, 0),
    evidenceHash: parseHex(header.evidence_hash, `${where}.evidence_hash`, 32, 0),
    proposerAddress: parseHex(header.proposer_address, `${where}.proposer_address`, 20),
  }
}
