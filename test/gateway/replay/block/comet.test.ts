import { describe, expect, test } from 'vitest'
import { RecordedChain } from '../recorded.ts'
import { type CometHeader, dataHash, headerHash, resultsHash } from './comet.ts'
import { upper } from './cometJson.ts'

/** The generator's hashes are checked against a real chain's before anything is checked against them. */

interface Told {
  block_id: { hash: string }
  block: {
    header: Record<string, string> & { version: { app?: string }; last_block_id: TellsId }
    data: { txs: string[] }
  }
}
interface TellsId {
  hash: string
  parts: { hash: string }
}

const hex = (text: string | undefined): Uint8Array => Buffer.from(text ?? '', 'hex')

const readHeader = ({ block: { header: h } }: Told): CometHeader => {
  const [, whole, fraction = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(h.time ?? '') ?? []
  return {
    chainId: h.chain_id ?? '',
    versionApp: Number(h.version.app ?? 0),
    height: Number(h.height),
    time: { seconds: Date.parse(`${whole}Z`) / 1000, nanos: Number(fraction.padEnd(9, '0')) },
    lastHash: hex(h.last_block_id.hash),
    lastPartsHash: hex(h.last_block_id.parts.hash),
    lastCommitHash: hex(h.last_commit_hash),
    dataHash: hex(h.data_hash),
    validatorsHash: hex(h.validators_hash),
    nextValidatorsHash: hex(h.next_validators_hash),
    consensusHash: hex(h.consensus_hash),
    appHash: hex(h.app_hash),
    lastResultsHash: hex(h.last_results_hash),
    evidenceHash: hex(h.evidence_hash),
    proposer: hex(h.proposer_address),
  }
}

describe('hashes of recorded blocks', () => {
  test('headers, data and results have the hashes that the chain gave them', () => {
    const chain = new RecordedChain()
    for (const height of chain.heights) {
      const told = JSON.parse(chain.block(height) ?? '') as Told
      const header = readHeader(told)
      expect(upper(headerHash(header)), `header ${height}`).toBe(told.block_id.hash)
      const natives = told.block.data.txs.map((tx) => Buffer.from(tx, 'base64'))
      expect(upper(dataHash(natives)), `data ${height}`).toBe(upper(header.dataHash))
      const next = chain.block(height + 1)
      if (next === undefined) continue
      const { txs_results } = JSON.parse(chain.results(height) ?? '') as {
        txs_results: { code: number; data: string | null; gas_wanted: string; gas_used: string }[] | null
      }
      const results = (txs_results ?? []).map(({ code, data, gas_wanted, gas_used }) => ({
        code,
        data: Buffer.from(data ?? '', 'base64'),
        gasWanted: BigInt(gas_wanted),
        gasUsed: BigInt(gas_used),
      }))
      expect(upper(resultsHash(results)), `results ${height}`).toBe(
        (JSON.parse(next) as Told).block.header.last_results_hash,
      )
    }
  })
})
