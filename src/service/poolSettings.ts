import type { Config } from '../config/settings.ts'
import type { PoolSettings } from '../pool/types.ts'

/** What the configuration says of the pool, a node's own or a gateway's. */
export const poolSettingsOf = (config: Config): Partial<PoolSettings> => ({
  accountSlots: config['txpool.account-slots'],
  accountQueue: config['txpool.account-queue'],
  globalSlots: config['txpool.global-slots'],
  globalQueue: config['txpool.global-queue'],
  priceBump: BigInt(config['txpool.price-bump']),
  queuedLifetimeMs: config['txpool.lifetime'],
  feeCap: config['json-rpc.txfee-cap'],
  allowUnprotected: config['json-rpc.allow-unprotected-txs'],
})
