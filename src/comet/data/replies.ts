import {
  type JsonObject,
  parseBase64,
  parseHeight,
  parseHex,
  parseInt64,
  parseList,
  parseObject,
  parseText,
  parseUint32,
} from './fields.ts'
import { UpstreamError } from './upstreamError.ts'

/** CometBFT's replies about the node and its mempool, with parsers that check their form. */

export interface NodeStatus {
  /** The name of the chain. */
  readonly network: string
  /** The version of CometBFT. */
  readonly version: string
  readonly id: string
  readonly moniker: string
  readonly listenAddress: string
  readonly hasTxIndex: boolean
  readonly latestHeight: number
  readonly latestHash: Uint8Array
  /** The lowest height whose block is kept. */
  readonly earliestHeight: number
  readonly isCatchingUp: boolean
  /** The node's address as a validator; empty if it is not one. */
  readonly validatorAddress: Uint8Array
}

const maxHeight = BigInt(Number.MAX_SAFE_INTEGER)
const maxText = 1_024
const maxTxBytes = 100 * 1024 * 1024

const text = (value: unknown, where: string): string => parseText(value, where, maxText)

/** A peer chooses its texts, and one that chooses long ones must not make the reply of a node invalid. */
const textOfPeer = (value: unknown, where: string): string =>
  parseText(value, where, Number.POSITIVE_INFINITY).slice(0, maxText)

const nodeOf = (
  info: JsonObject,
  chosen = text,
): Pick<NodeStatus, 'id' | 'moniker' | 'network' | 'version' | 'listenAddress'> => ({
  id: text(info.id, 'node_info.id'),
  moniker: chosen(info.moniker, 'node_info.moniker'),
  network: text(info.network, 'node_info.network'),
  version: chosen(info.version, 'node_info.version'),
  listenAddress: chosen(info.listen_addr, 'node_info.listen_addr'),
})

const flagOf = (value: unknown, where: string): boolean => {
  if (typeof value !== 'boolean') throw new UpstreamError(`${where} is not a boolean`)
  return value
}

export const parseStatus = (reply: unknown): NodeStatus => {
  const fields = parseObject(reply, 'status')
  const info = parseObject(fields.node_info, 'node_info')
  const sync = parseObject(fields.sync_info, 'sync_info')
  const other = parseObject(info.other ?? {}, 'node_info.other')
  const validator = parseObject(fields.validator_info ?? {}, 'validator_info')
  const latestHeight = Number(parseInt64(sync.latest_block_height, 'latest_block_height', 0n, maxHeight))
  // 0 without a hash means that the chain has no block yet.
  const earliestHeight = Number(
    parseInt64(sync.earliest_block_height ?? '1', 'earliest_block_height', 0n, maxHeight),
  )
  return {
    ...nodeOf(info),
    hasTxIndex: other.tx_index === 'on',
    latestHeight,
    latestHash: parseHex(sync.latest_block_hash, 'latest_block_hash', 32, 0),
    earliestHeight: Math.max(1, earliestHeight),
    isCatchingUp: flagOf(sync.catching_up, 'catching_up'),
    validatorAddress: parseHex(validator.address, 'validator_info.address', 20, 0),
  }
}

export interface NodePeer
  extends Pick<NodeStatus, 'id' | 'moniker' | 'network' | 'version' | 'listenAddress'> {
  readonly isOutbound: boolean
  readonly remoteIp: string
}

export interface NetInfo {
  readonly isListening: boolean
  readonly peers: readonly NodePeer[]
}

const maxPeers = 10_000

export const parseNetInfo = (reply: unknown): NetInfo => {
  const fields = parseObject(reply, 'net_info')
  return {
    isListening: flagOf(fields.listening, 'listening'),
    peers: parseList(fields.peers, 'peers', maxPeers).map((value) => {
      const peer = parseObject(value, 'peer')
      return {
        ...nodeOf(parseObject(peer.node_info, 'node_info'), textOfPeer),
        isOutbound: flagOf(peer.is_outbound, 'is_outbound'),
        remoteIp: text(peer.remote_ip, 'remote_ip'),
      }
    }),
  }
}

export interface NodeValidator {
  readonly address: Uint8Array
  readonly keyType: string
  /** The public key in base64. */
  readonly key: string
  readonly power: bigint
}

const maxValidators = 100_000

export const parseValidators = (
  reply: unknown,
): { readonly validators: readonly NodeValidator[]; readonly total: number } => {
  const fields = parseObject(reply, 'validators')
  const validators = parseList(fields.validators, 'validators', maxValidators).map((value) => {
    const validator = parseObject(value, 'validator')
    const key = parseObject(validator.pub_key, 'pub_key')
    return {
      address: parseHex(validator.address, 'validator.address', 20),
      keyType: text(key.type, 'pub_key.type'),
      key: text(key.value, 'pub_key.value'),
      power: parseInt64(validator.voting_power, 'voting_power', 0n),
    }
  })
  return { validators, total: Number(parseInt64(fields.total, 'total', 0n, BigInt(maxValidators))) }
}

export interface BroadcastResponse {
  /** The result of CheckTx: with 0 the transaction waits for a block. */
  readonly code: number
  readonly codespace: string
  readonly log: string
  /** CometBFT's hash of the transaction. */
  readonly hash: Uint8Array
}

const maxLog = 65_536

export const parseBroadcast = (reply: unknown): BroadcastResponse => {
  const { code, codespace, log, hash } = parseObject(reply, 'broadcast_tx_sync')
  if (typeof code !== 'number' || !Number.isInteger(code) || code < 0)
    throw new UpstreamError('the code of a broadcast is not a number')
  return {
    code,
    codespace: text(codespace ?? '', 'codespace'),
    log: parseText(log ?? '', 'log', maxLog),
    hash: parseHex(hash, 'hash', 32),
  }
}

/** Where the consensus of a node is, by `dump_consensus_state`. */
export interface ConsensusState {
  /** The height that it decides. */
  readonly height: number
  /** CometBFT's number of the step. */
  readonly step: number
  /** The heights that its peers say they decide, as far as they are heights: a peer may say anything. */
  readonly peerHeights: readonly number[]
}

export const parseConsensusState = (reply: unknown): ConsensusState => {
  const { round_state: own, peers } = parseObject(reply, 'dump_consensus_state')
  const { height, step } = parseObject(own, 'round_state')
  return {
    height: parseHeight(height, 'round_state.height'),
    step: parseUint32(step, 'round_state.step'),
    peerHeights: parseList(peers, 'peers', maxPeers)
      .map((peer) => {
        const { round_state: round } = parseObject(parseObject(peer, 'peer').peer_state, 'peer_state')
        return Number(
          text(parseObject(round, 'peer_state.round_state').height, 'peer_state.round_state.height'),
        )
      })
      .filter((said) => Number.isSafeInteger(said) && said >= 0),
  }
}

/** Parses where a transaction is among those of its block, by `tx`. */
export const parseTxLocation = (reply: unknown): { readonly number: number; readonly index: number } => {
  const { height, index } = parseObject(reply, 'tx')
  return { number: parseHeight(height, 'tx.height'), index: parseUint32(index, 'tx.index') }
}

/** Parses `max_gas` of `consensus_params`; -1 means no limit. */
export const parseMaxGas = (reply: unknown): bigint => {
  const params = parseObject(parseObject(reply, 'consensus_params').consensus_params, 'consensus_params')
  return parseInt64(parseObject(params.block, 'consensus_params.block').max_gas, 'max_gas', -1n)
}

/** Parses the transactions of `unconfirmed_txs`. */
export const parseUnconfirmed = (reply: unknown): readonly Uint8Array[] =>
  parseList(parseObject(reply, 'unconfirmed_txs').txs, 'txs', 10_000).map((value) =>
    parseBase64(value, 'tx', maxTxBytes),
  )
