import type { Config } from './settings.ts'

/** Whether the conveniences of development are on; nothing else turns them on by itself. */
export const isDevProfile = ({ dev, engine, genesis }: Pick<Config, 'dev' | 'engine' | 'genesis'>): boolean =>
  dev ?? (engine === 'solo' && genesis === undefined)
