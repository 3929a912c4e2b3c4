import { parseChainConfig } from '../../../src/chain/config/chainConfig.ts'
import { dataHash } from '../../../src/comet/data/contentHashes.ts'
import { headerHash } from '../../../src/comet/data/headerHash.ts'
import type { NativeHeader } from '../../../src/comet/data/nativeBlock.ts'
import { parseHeader } from '../../../src/comet/data/parseHeader.ts'
import type { ChainInfo } from '../../../src/cosmos/chainInfo.ts'
import type { ConversionContext } from '../../../src/families/convert/conversionContext.ts'
import { blockForks } from '../../support/forks.ts'

/** Answers of a CometBFT node about blocks that a test makes up. */

export interface SampleEvent {
  readonly type: string
  readonly attributes: readonly (readonly [key: string, value: string])[]
}

export interface SampleResult {
  readonly code?: number
  readonly data?: Uint8Array
  readonly log?: string
  readonly gasWanted?: bigint
  readonly gasUsed?: bigint
  readonly events?: readonly SampleEvent[]
}

export interface SampleBlock {
  readonly height?: number
  readonly time?: string
  readonly transactions: readonly Uint8Array[]
  readonly results: readonly SampleResult[]
  readonly events?: readonly SampleEvent[]
  readonly appHash?: Uint8Array
  readonly appHashAfter?: Uint8Array
}

/** Which words the node's answers are in. */
export type Version = '0.34' | '0.37' | '0.38'

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase()
const filled = (byte: number, length = 32): Uint8Array => new Uint8Array(length).fill(byte)

const headerJson = ({ height = 7, time = '2026-11-15T03:15:45.26554248Z', ...block }: SampleBlock) => ({
  version: { block: '11' },
  chain_id: 'sample_5-1',
  height: `${height}`,
  time,
  last_block_id: { hash: hex(filled(1)), parts: { total: 1, hash: hex(filled(2)) } },
  last_commit_hash: hex(filled(3)),
  data_hash: hex(dataHash(block.transactions)),
  validators_hash: hex(filled(4)),
  next_validators_hash: hex(filled(5)),
  consensus_hash: hex(filled(6)),
  app_hash: hex(block.appHash ?? filled(7)),
  last_results_hash: hex(filled(8)),
  evidence_hash: hex(filled(9)),
  proposer_address: hex(filled(10, 20)),
})

export const headerOf = (block: SampleBlock): NativeHeader => parseHeader(headerJson(block))

/** The result of `block`. */
export const blockReply = (block: SampleBlock): unknown => ({
  block_id: { hash: hex(headerHash(headerOf(block))), parts: { total: 1, hash: hex(filled(11)) } },
  block: { header: headerJson(block), data: { txs: block.transactions.map(base64) }, evidence: {} },
})

const eventsJson = (events: readonly SampleEvent[], version: Version): unknown =>
  events.map(({ type, attributes }) => {
    const written = (text: string): string => (version === '0.34' ? base64(Buffer.from(text)) : text)
    return {
      type,
      attributes: attributes.map(([key, value]) => ({
        key: written(key),
        value: written(value),
        index: true,
      })),
    }
  })

const resultJson = (version: Version) => (result: SampleResult) => ({
  code: result.code ?? 0,
  data: result.data === undefined ? null : base64(result.data),
  log: result.log ?? '',
  info: '',
  gas_wanted: `${result.gasWanted ?? 0n}`,
  gas_used: `${result.gasUsed ?? 0n}`,
  events: eventsJson(result.events ?? [], version),
  codespace: '',
})

/** The result of `block_results`. */
export const resultsReply = (
  { height = 7, results, events = [], appHashAfter = filled(12) }: SampleBlock,
  version: Version = '0.38',
): unknown => ({
  height: `${height}`,
  txs_results: results.length === 0 ? null : results.map(resultJson(version)),
  validator_updates: null,
  consensus_param_updates: { block: { max_bytes: '22020096', max_gas: '20000000' } },
  ...(version === '0.38'
    ? { finalize_block_events: eventsJson(events, version), app_hash: base64(appHashAfter) }
    : { begin_block_events: eventsJson(events, version), end_block_events: null }),
})

export const conversionContext: ConversionContext = { miner: filled(13, 20), maxGas: 10_000_000n }

export const exampleChainInfo: ChainInfo = {
  family: 'ethermint',
  nativeChainId: 'sample_5-1',
  config: parseChainConfig({
    chainId: 31_337,
    ...blockForks,
  }),
  feeDenom: 'asample',
  decimals: 18,
  bech32Prefix: 'sample',
  evmPackage: 'ethermint.evm.v1',
  feemarketPackage: 'ethermint.feemarket.v1',
  earliestBlock: 1,
  earliestState: 1,
  hasAppMempool: false,
}
