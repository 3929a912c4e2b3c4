import type { Logger } from '../../base/logging/log.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { NativeQueryClient } from '../../comet/data/nativeQuery.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { PoolHead, PoolSettings } from '../../pool/types.ts'
import type { SharedSends } from '../fleet/sharedSends.ts'
import type { SendOptions } from '../upstreams/choice/order.ts'
import type { BroadcastResponse } from './broadcastOutcome.ts'
import type { OutboxTimes } from './outbox.ts'

export interface SendTimeouts extends OutboxTimes {
  /** How long the upstreams may take to answer a broadcast. CheckTx of one may take 5 s. */
  readonly broadcastMs: number
  /** The timeout of queries for a sender's account. */
  readonly accountMs: number
  /** The interval at which expired transactions are looked for. */
  readonly expiryMs: number
}

export const defaultSendTimeouts: SendTimeouts = {
  broadcastMs: 8_000,
  accountMs: 5_000,
  expiryMs: 60_000,
  rebroadcastMs: 60_000,
  retryMs: 2_000,
  seenCacheMs: 6_000,
  lifetimeMs: 3 * 60 * 60 * 1_000,
  refusalMs: 60_000,
  orphanMs: 10 * 60 * 1_000,
}

export interface GatewayPoolOptions {
  readonly chainInfo: ChainInfo
  readonly settings: PoolSettings
  /** The folder of the journal, which keeps accepted transactions across restarts. */
  readonly journalFolder: string
  readonly times?: Partial<SendTimeouts>
  /** What happens to transactions while no upstream answers; they are kept by default. */
  readonly whileAway?: 'keep' | 'refuse' | undefined
  /** Throws the error for a client whose transaction cannot be taken now, because it could not be kept. */
  readonly assertWritable?: (() => void) | undefined
}

export interface GatewayPoolDependencies {
  readonly upstream: Pick<NativeQueryClient, 'query'> & {
    /** Calls `broadcast_tx_sync`. An error of CometBFT is thrown with its text as the message. */
    broadcast(bytes: Uint8Array, signal: AbortSignal, options?: SendOptions): Promise<BroadcastResponse>
    /** Returns the transactions of the upstream's mempool, at most `limit`. */
    unconfirmedTxs(limit: number, signal: AbortSignal): Promise<readonly Uint8Array[]>
    /** Returns whether no upstream can be asked. */
    isAway?(): boolean
    /** Returns nodes that can each be asked alone about the state of a height, the best first. */
    nodesAlone?(height: number): readonly (Pick<NativeQueryClient, 'query'> & { readonly name: string })[]
    /** Returns whether a transaction can be sent to a node that has not rejected it. */
    canSendElsewhere?(refusedBy: readonly string[]): boolean
    /** Called with the nodes that rejected a transaction which another one took right after. */
    onContradicted?(nodes: readonly string[]): void
    /** Puts a node into quarantine whose answers are wrong. */
    quarantine?(node: string, reason: string, isLie: boolean): void
  }
  /** The rules and prices of the block after the newest one. */
  readonly head: PoolHead
  readonly locate: (hash: Uint8Array) => TransactionLocation | undefined
  /** Finds the transaction of a sender with a nonce in the stored blocks. */
  readonly locateBySender: (sender: Uint8Array, nonce: bigint) => TransactionLocation | undefined
  /** What the other gateways of a fleet acknowledged; undefined if this one is alone. */
  readonly shared?: SharedSends | undefined
  readonly log: Logger
}
