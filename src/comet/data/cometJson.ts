import { toBase64 } from '../../base/encoding/base64.ts'
import { encodeHex } from '../../base/encoding/hex.ts'
import type { SignedHeader } from './commit.ts'
import type { NativeBlockId, NativeHeader, NativeTime } from './nativeBlock.ts'
import type { NodeValidator } from './replies.ts'

/** Headers and commits in CometBFT's JSON, for files. */

export const upperHex = (bytes: Uint8Array): string => encodeHex(bytes).toUpperCase()

const toTimeJson = ({ seconds, nanos }: NativeTime): string =>
  `${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}.${String(nanos).padStart(9, '0')}Z`

const toBlockIdJson = ({ hash, partsTotal, partsHash }: NativeBlockId): object => ({
  hash: upperHex(hash),
  parts: { total: partsTotal, hash: upperHex(partsHash) },
})

/** Returns a header in CometBFT's JSON. */
export const toHeaderJson = (header: NativeHeader): object => ({
  version: { block: String(header.versionBlock), app: String(header.versionApp) },
  chain_id: header.chainId,
  height: String(header.height),
  time: toTimeJson(header.time),
  last_block_id: toBlockIdJson(header.lastBlockId),
  last_commit_hash: upperHex(header.lastCommitHash),
  data_hash: upperHex(header.dataHash),
  validators_hash: upperHex(header.validatorsHash),
  next_validators_hash: upperHex(header.nextValidatorsHash),
  consensus_hash: upperHex(header.consensusHash),
  app_hash: upperHex(header.appHash),
  last_results_hash: upperHex(header.lastResultsHash),
  evidence_hash: upperHex(header.evidenceHash),
  proposer_address: upperHex(header.proposerAddress),
})

/** Returns a validator in CometBFT's JSON. */
export const toValidatorJson = ({ address, keyType, key, power }: NodeValidator): object => ({
  address: upperHex(address),
  pub_key: { type: keyType, value: key },
  voting_power: String(power),
})

/** Returns a header and its commit in CometBFT's JSON, as others can check it too. */
export const toSignedHeaderJson = ({ header, commit }: SignedHeader): object => ({
  header: toHeaderJson(header),
  commit: {
    height: String(commit.height),
    round: commit.round,
    block_id: toBlockIdJson(commit.blockId),
    signatures: commit.signatures.map(({ flag, address, time, signature }) => ({
      block_id_flag: flag,
      validator_address: upperHex(address),
      timestamp: toTimeJson(time),
      signature: signature.length === 0 ? null : toBase64(signature),
    })),
  },
})
