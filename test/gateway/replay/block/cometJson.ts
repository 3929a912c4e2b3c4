import { type CometHeader, partsOf, toRfc3339 } from './comet.ts'
import type { ReplayEvent, ReplayResult } from './results.ts'

/** CometBFT's JSON, written as text. */

export const upper = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase()
export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

export const blockIdJson = (hash: Uint8Array, partsHash: Uint8Array): string =>
  `{"hash":"${upper(hash)}","parts":{"total":${partsOf(hash)},"hash":"${upper(partsHash)}"}}`

export const headerJson = (header: CometHeader): string => {
  const app = header.versionApp === 0 ? '' : `,"app":"${header.versionApp}"`
  return (
    `{"version":{"block":"11"${app}},"chain_id":${JSON.stringify(header.chainId)},"height":"${header.height}",` +
    `"time":"${toRfc3339(header.time)}","last_block_id":${blockIdJson(header.lastHash, header.lastPartsHash)},` +
    `"last_commit_hash":"${upper(header.lastCommitHash)}","data_hash":"${upper(header.dataHash)}",` +
    `"validators_hash":"${upper(header.validatorsHash)}",` +
    `"next_validators_hash":"${upper(header.nextValidatorsHash)}",` +
    `"consensus_hash":"${upper(header.consensusHash)}","app_hash":"${upper(header.appHash)}",` +
    `"last_results_hash":"${upper(header.lastResultsHash)}","evidence_hash":"${upper(header.evidenceHash)}",` +
    `"proposer_address":"${upper(header.proposer)}"}`
  )
}

/** The signature that the commit in a block is said to have; nobody checks one there. */
const signature = base64(new Uint8Array(64).fill(7))

const commitJson = ({ height, lastHash, lastPartsHash, proposer, time }: CometHeader): string => {
  const signatures =
    lastHash.length === 0
      ? ''
      : `{"block_id_flag":2,"validator_address":"${upper(proposer)}","timestamp":"${toRfc3339(time)}","signature":"${signature}"}`
  return `{"height":"${height - 1}","round":0,"block_id":${blockIdJson(lastHash, lastPartsHash)},"signatures":[${signatures}]}`
}

export interface JsonBlock {
  readonly header: CometHeader
  readonly hash: Uint8Array
  readonly partsHash: Uint8Array
  readonly natives: readonly Uint8Array[]
}

const bodyJson = ({ header, natives }: JsonBlock): string =>
  `{"header":${headerJson(header)},"data":{"txs":[${natives.map((native) => `"${base64(native)}"`).join(',')}]},` +
  `"evidence":{"evidence":[]},"last_commit":${commitJson(header)}}`

export const blockJson = (block: JsonBlock): string =>
  `{"block_id":${blockIdJson(block.hash, block.partsHash)},"block":${bodyJson(block)}}`

export const eventsJson = (events: readonly ReplayEvent[], inBase64: boolean): string => {
  const put = (value: string | Uint8Array): string => {
    const bytes = typeof value === 'string' ? value : Buffer.from(value)
    if (inBase64) return `"${Buffer.from(bytes).toString('base64')}"`
    // Bytes that are not UTF-8 do not survive this, there as here.
    return JSON.stringify(typeof bytes === 'string' ? bytes : bytes.toString('utf8'))
  }
  const all = events.map(({ type, attributes }) => {
    const pairs = attributes.map(([key, value]) => `{"key":${put(key)},"value":${put(value)},"index":true}`)
    return `{"type":${JSON.stringify(type)},"attributes":[${pairs.join(',')}]}`
  })
  return `[${all.join(',')}]`
}

export const resultJson = (result: ReplayResult, inBase64: boolean): string =>
  `{"code":${result.code},"data":${result.data.length === 0 ? 'null' : `"${base64(result.data)}"`},` +
  `"log":${JSON.stringify(result.log)},"info":"","gas_wanted":"${result.gasWanted}",` +
  `"gas_used":"${result.gasUsed}","events":${eventsJson(result.events, inBase64)},` +
  `"codespace":"${result.codespace}"}`

const paramsJson = (maxGas: bigint): string =>
  `{"block":{"max_bytes":"22020096","max_gas":"${maxGas}"},"evidence":{"max_age_num_blocks":"100000",` +
  `"max_age_duration":"172800000000000","max_bytes":"1048576"},"validator":{"pub_key_types":["ed25519"]},` +
  `"version":{},"abci":{}}`

export const consensusParamsJson = (height: number, maxGas: bigint): string =>
  `{"block_height":"${height}","consensus_params":${paramsJson(maxGas)}}`

export interface JsonResults {
  readonly height: number
  readonly results: readonly ReplayResult[]
  readonly begin: readonly ReplayEvent[]
  readonly end: readonly ReplayEvent[]
  readonly appHash: Uint8Array
  /** Where this block changes it for those after it. */
  readonly nextMaxGas: bigint | undefined
}

export const resultsJson = (results: JsonResults, oldEngine: boolean): string => {
  const list = results.results.map((result) => resultJson(result, oldEngine)).join(',')
  const head = `{"height":"${results.height}","txs_results":${list === '' ? 'null' : `[${list}]`},`
  const updates = results.nextMaxGas === undefined ? 'null' : paramsJson(results.nextMaxGas)
  if (oldEngine)
    return (
      `${head}"begin_block_events":${eventsJson(results.begin, true)},` +
      `"end_block_events":${eventsJson(results.end, true)},"validator_updates":null,"consensus_param_updates":${updates}}`
    )
  return (
    `${head}"finalize_block_events":${eventsJson([...results.begin, ...results.end], false)},` +
    `"validator_updates":null,"consensus_param_updates":${updates},"app_hash":"${base64(results.appHash)}"}`
  )
}

/** The value of the event NewBlock: the older engine tells neither the block's hash nor the results. */
export const newBlockJson = (block: JsonBlock, results: JsonResults, oldEngine: boolean): string => {
  if (oldEngine)
    return (
      `{"block":${bodyJson(block)},"result_begin_block":{"events":${eventsJson(results.begin, true)}},` +
      `"result_end_block":{"validator_updates":null,"events":${eventsJson(results.end, true)}}}`
    )
  const list = results.results.map((result) => resultJson(result, false)).join(',')
  const updates = results.nextMaxGas === undefined ? 'null' : paramsJson(results.nextMaxGas)
  return (
    `{"block":${bodyJson(block)},"block_id":${blockIdJson(block.hash, block.partsHash)},` +
    `"result_finalize_block":{"events":${eventsJson([...results.begin, ...results.end], false)},` +
    `"tx_results":${list === '' ? 'null' : `[${list}]`},"validator_updates":[],"consensus_param_updates":${updates},` +
    `"app_hash":"${base64(results.appHash)}"}}`
  )
}
