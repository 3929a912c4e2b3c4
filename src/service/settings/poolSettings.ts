import type { Config } from '../../config/settings/settings.ts'
import type { PoolSettings } from '../../pool/types.ts'

/** Returns the settings of the pool: its section, and those of `[json-rpc]` about submitted transactions. */
export const toPoolSettings = ({ txpool, jsonRpc }: Config): Partial<PoolSettings> => ({
  ...txpool,
  feeCap: jsonRpc.txfeeCap,
  allowUnprotected: jsonRpc.allowUnprotectedTxs,
})
