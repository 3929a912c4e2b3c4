import { heightOf, hexOf, int64Of, objectOf, textOf, uint32Of } from './json.ts'
import type { NativeBlockId, NativeHeader } from './native.ts'
import { timeOf } from './time.ts'

/** CometBFT's limit. */
const maxChainIdLength = 50
const maxUint64 = (1n << 64n) - 1n

/** Protocol versions that are zero are left out. */
const versionOf = (value: unknown, where: string): bigint =>
  value === undefined ? 0n : int64Of(value, where, 0n, maxUint64)

export const parseBlockId = (value: unknown, where: string): NativeBlockId => {
  const id = objectOf(value, where)
  const parts = objectOf(id.parts, `${where}.parts`)
  return {
    hash: hexOf(id.hash, `${where}.hash`, 32, 0),
    partsTotal: uint32Of(parts.total, `${where}.parts.total`),
    partsHash: hexOf(parts.hash, `${where}.parts.hash`, 32, 0),
  }
}

/** What an application answers before it has a state may be shorter than a hash, and is at most this long. */
const appHashLengths = Array.from({ length: 65 }, (_, length) => length)

export const parseHeader = (value: unknown, where = 'header'): NativeHeader => {
  const header = objectOf(value, where)
  const version = objectOf(header.version, `${where}.version`)
  const hash = (name: string): Uint8Array => hexOf(header[name], `${where}.${name}`, 32)
  return {
    versionBlock: versionOf(version.block, `${where}.version.block`),
    versionApp: versionOf(version.app, `${where}.version.app`),
    chainId: textOf(header.chain_id, `${where}.chain_id`, maxChainIdLength),
    height: heightOf(header.height, `${where}.height`),
    time: timeOf(header.time, `${where}.time`),
    lastBlockId: parseBlockId(header.last_block_id, `${where}.last_block_id`),
    lastCommitHash: hexOf(header.last_commit_hash, `${where}.last_commit_hash`, 32, 0),
    dataHash: hexOf(header.data_hash, `${where}.data_hash`, 32, 0),
    validatorsHash: hash('validators_hash'),
    nextValidatorsHash: hash('next_validators_hash'),
    consensusHash: hash('consensus_hash'),
    appHash: hexOf(header.app_hash, `${where}.app_hash`, ...appHashLengths),
    lastResultsHash: hexOf(header.last_results_hash, `${where}.last_results_hash`, 32, 0),
    evidenceHash: hexOf(header.evidence_hash, `${where}.evidence_hash`, 32, 0),
    proposerAddress: hexOf(header.proposer_address, `${where}.proposer_address`, 20),
  }
}
