import type { Logger } from '../../base/logging/log.ts'
import type { ChainMeta } from './chainMeta.ts'
import { schema } from './chainTables.ts'

/** Says in the log that a home was written by an older version, before the first block makes it one of this version. */
export const announceOlder = (meta: Pick<ChainMeta, 'olderSchema'>, log: Pick<Logger, 'info'>): void => {
  const found = meta.olderSchema()
  if (found === undefined) return
  log.info(
    { found, schema },
    `an older version wrote this home. The next block raises its schema from ${found} to ${schema}; the older version cannot open it after that`,
  )
}
