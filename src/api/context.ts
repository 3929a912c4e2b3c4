import type { KeyedQueue } from '../base/threads/keyedQueue.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { ChainTraceSubscriptions } from '../events/chainTraceSubscriptions.ts'
import type { Filters } from '../events/filters/filters.ts'
import type { SubscriptionManager } from '../events/subscriptionManager.ts'
import type { Accounts } from '../keystore/accounts.ts'
import type { Keystore } from '../keystore/keystore.ts'
import type { WalletManager } from '../keystore/wallets/walletManager.ts'
import type { TransportOverrides } from '../rpc/transport/overrides.ts'
import type { ContractRegistry } from '../solidity/contractRegistry.ts'
import type { Diagnostics, LogControl } from './debug/measurements.ts'
import type { AbiStore } from './dev/abiStore.ts'
import type { LogSettings } from './eth/logQuery.ts'

/** The transports of the running server. A failed start throws `RpcError`, for example if the port is taken. */
export interface Transports {
  startHttp(options: TransportOverrides): Promise<void>
  /** Returns false if it was not running. */
  stopHttp(): Promise<boolean>
  startWs(options: TransportOverrides): Promise<void>
  stopWs(): Promise<boolean>
  isListening(): boolean
}

/** The dependencies of the methods. */
export interface ApiContext {
  /** The client version, such as `perihelion/v0.1.0/linux-x64/node20.20.2`. */
  readonly clientVersion: string
  /** The absolute path of the home. */
  readonly home: string
  readonly transports: Transports
  readonly diagnostics: Diagnostics
  readonly log: LogControl
  readonly chain: Chain
  readonly accounts: Accounts
  readonly filters: Filters
  /** The limits of a search for logs. */
  readonly logSettings: LogSettings
  /** The same accounts with the operations of `personal_`: open, lock and create. */
  readonly keystore: Keystore
  readonly wallets: WalletManager
  /** The queue of transactions to send by account, so that each gets the nonce after the one before it. */
  readonly senderLock: KeyedQueue
  readonly subscriptions: SubscriptionManager
  readonly chainTraceSubscriptions: ChainTraceSubscriptions
  /** Writes the price in wei to the configuration file; it applies from the next start. */
  saveMinimumGasPrice(price: bigint): Promise<void>
  /** Writes the address to the configuration file for the next start. */
  saveCoinbase(address: Uint8Array): Promise<void>
  /** The contracts that clients described, for what is printed. */
  readonly contracts: ContractRegistry
  /** The ABIs that people registered. */
  readonly abis: AbiStore
  /** 32 random bytes as DATA, which tell this run from others. */
  readonly instanceId: string
  /** The enabled namespaces with their versions. */
  modules(): Readonly<Record<string, string>>
  /** The OpenRPC document of the served methods. */
  openRpc(): Promise<object>
}
