import type { KeyedQueue } from '../base/keyedQueue.ts'
import type { Chain } from '../chain/port/chain.ts'
import type { ChainTraces } from '../events/chainTraces.ts'
import type { Filters } from '../events/filters/filters.ts'
import type { Subscriptions } from '../events/subscriptions.ts'
import type { Accounts } from '../keystore/accounts.ts'
import type { Keystore } from '../keystore/keystore.ts'
import type { Wallets } from '../keystore/wallets/wallets.ts'
import type { TransportOverrides } from '../rpc/server.ts'
import type { LogSettings } from './eth/logQuery.ts'
import type { Instruments, LogControl } from './instruments.ts'

/** The listeners of the running server. A start throws `RpcError` where it fails: already running, port taken. */
export interface Transports {
  startHttp(options: TransportOverrides): Promise<void>
  /** False when it was not running. */
  stopHttp(): Promise<boolean>
  startWs(options: TransportOverrides): Promise<void>
  stopWs(): Promise<boolean>
  isListening(): boolean
}

/** What methods may use: narrow ports, put together by the command line alone. */
export interface ApiContext {
  /** `perihelion/v0.1.0/linux-x64/node20.20.2` */
  readonly clientVersion: string
  /** The home folder, absolute. */
  readonly home: string
  readonly transports: Transports
  readonly instruments: Instruments
  readonly log: LogControl
  readonly chain: Chain
  readonly accounts: Accounts
  readonly filters: Filters
  /** What a search for logs may take. */
  readonly logSettings: LogSettings
  /** The same accounts for who may open, lock and make them: `personal_`. */
  readonly keystore: Keystore
  readonly wallets: Wallets
  /** Sending, by account: each transaction takes the nonce after the one before it. */
  readonly sending: KeyedQueue
  readonly subscriptions: Subscriptions
  readonly chainTraces: ChainTraces
  /** Writes the price, in wei, to the configuration file; it holds from the next start on. */
  saveMinimumGasPrice(price: bigint): Promise<void>
  /** Writes the address to the configuration file, so that the next start begins with it. */
  saveCoinbase(address: Uint8Array): Promise<void>
  /** The namespaces that are on, with their versions. */
  modules(): Readonly<Record<string, string>>
  /** The OpenRPC document of what is served. */
  openRpc(): object
}
