import type { Config } from './settings.ts'

/** Returns whether the dev profile is on; nothing else turns it on. */
export const isDevProfile = ({ dev, engine, genesis }: Pick<Config, 'dev' | 'engine' | 'genesis'>): boolean =>
  dev ?? (engine === 'solo' && genesis === undefined)
