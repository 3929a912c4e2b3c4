import { join } from 'node:path'
import { fromHex } from '../base/encoding/hex.ts'
import type { ChainOverrides } from '../families/detect/chainProbe.ts'
import type { RemoteSettings } from '../families/remote.ts'
import type { PoolSettings } from '../pool/types.ts'
import type { CallSettings } from './calls/openProvenCalls.ts'
import type { TrustFileOptions } from './trust/trustFile.ts'
import type { UpstreamSettings } from './upstreams/choice/upstreamAddress.ts'

/** The settings of `[gateway]`; undefined values are detected. */
interface GatewaySettings extends Omit<ChainOverrides, 'evmChainId' | 'forks'>, UpstreamSettings {
  /** How many blocks an upstream may be behind the others before these are preferred. */
  readonly maxLag: number
  /** How long a read may take before a second upstream is asked, in milliseconds; 0: none is. */
  readonly hedgeAfter: number
  /** The database of the fleet; undefined if this gateway is alone. */
  readonly database: string | undefined
  /** The file or URL of a snapshot that fills a new home; undefined: its blocks come from the nodes alone. */
  readonly bootstrap: string | undefined
  /** What happens to transactions while no upstream answers. */
  readonly sendsWhileAway: 'keep' | 'refuse'
  /** CometBFT's id of the chain; undefined: that of the first upstream. */
  readonly nativeChainId: string | undefined
  /** The chain id of the EVM. */
  readonly chainId: bigint | undefined
  /** The first block of a new home; undefined: the earliest block that an upstream has. */
  readonly from: number | undefined
  /** The timeout of one query, in milliseconds. */
  readonly queryTimeout: number
  /** The size of the cache for responses that never change, in bytes. */
  readonly cacheSize: number
  /** Whether headers are proven by the signatures of validators. */
  readonly verify: boolean
  /** A block that is known to be of the chain; undefined: the newest one of the first node that is asked. */
  readonly trustHeight: number | undefined
  readonly trustHash: string | undefined
  /** How long a header is trusted after its time, in milliseconds; undefined: forever. */
  readonly trustingPeriod: number | undefined
  /** Whether a block is served only when the next one has proven its results. */
  readonly holdNewest: boolean
  /** Whether values of states are proven; with `calls`, also what calls on them give. */
  readonly verifyState: boolean | 'calls'
  /** Whether Cosmos transactions are shown among the Ethereum ones. */
  readonly cosmosView: boolean
}

export interface GatewayOptions {
  /** The folder of the gateway; the stored chain is in its folder `data`. */
  readonly home: string
  readonly gateway: GatewaySettings
  /** The `config` object of a geth genesis with the forks of the chain; undefined: the forks are queried. */
  readonly forks: unknown
  /** The settings of `[json-rpc]` that the gateway applies itself. */
  readonly jsonRpc: RemoteSettings &
    CallSettings & { readonly feehistoryCap: number; readonly filterTimeout: number }
  /** The lowest gas price that the pool accepts, in wei. */
  readonly minimumGasPrice: bigint
  readonly appearances: boolean
  /** How many of the newest blocks are kept with their bodies, at least; all by default. */
  readonly retainedBlocks?: number | undefined
  /** The free space below which no block is written. */
  readonly minFreeBytes?: number
  /** Throws the error for a client whose transaction cannot be taken now, because it could not be kept. */
  readonly assertWritable?: () => void
  /** Called with the reason when a commit failed, again and again: the gateway must be closed, and may then be opened again. */
  readonly onCommitFailed?: (reason: string) => void
  readonly pool?: Partial<PoolSettings>
  /** Whether progress is shown on the terminal. */
  readonly isInteractive?: boolean
}

/** Returns the values of the chain that the operator configured. */
export const toOverrides = ({
  gateway,
  forks,
}: Pick<GatewayOptions, 'gateway' | 'forks'>): ChainOverrides & {
  readonly nativeChainId: string | undefined
} => ({ ...gateway, evmChainId: gateway.chainId, forks })

/** How far the time of a header may be ahead of the clock here; CometBFT's own default. */
const maxClockDriftMs = 10_000

export const toTrustOptions = ({ home, gateway }: GatewayOptions): TrustFileOptions | undefined => {
  const { verify, trustHeight, trustHash, trustingPeriod } = gateway
  if (!verify) return undefined
  return {
    path: join(home, 'data', 'trust.json'),
    root:
      trustHeight === undefined || trustHash === undefined
        ? undefined
        : { height: trustHeight, hash: fromHex(`0x${trustHash.replace(/^0x/, '')}`) },
    trustingPeriodMs: trustingPeriod,
    maxClockDriftMs,
  }
}
