import type { Config } from '../config/settings.ts'
import type { PoolSettings } from '../pool/types.ts'

/** The settings of the pool: its section, and what `[json-rpc]` says of transactions that are sent here. */
export const poolSettingsOf = ({ txpool, jsonRpc }: Config): Partial<PoolSettings> => ({
  ...txpool,
  feeCap: jsonRpc.txfeeCap,
  allowUnprotected: jsonRpc.allowUnprotectedTxs,
})
