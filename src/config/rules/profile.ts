import type { Config } from '../settings/settings.ts'

/** Returns whether the dev profile is on; nothing else turns it on. */
export const isDevProfile = ({ dev, engine, genesis }: Pick<Config, 'dev' | 'engine' | 'genesis'>): boolean =>
  dev ?? (engine === 'solo' && genesis === undefined)

/** Returns whether browsers get the explorer at the HTTP address. */
export const servesExplorer = (
  config: Pick<Config, 'dev' | 'engine' | 'genesis'> & {
    readonly jsonRpc: Pick<Config['jsonRpc'], 'explorer'>
  },
): boolean => config.jsonRpc.explorer === 'on' || (config.jsonRpc.explorer === 'auto' && isDevProfile(config))
