import type { HeadChange } from '../../chain/port/events.ts'
import type { MovedFilter } from './filterJournal.ts'
import { type Filter, isOfPool } from './kinds.ts'

/**
 * Moves filters back behind a revert: logs that were reported are reported again as removed, and the new blocks will be
 * reported. Returns where those stand now that outlive the process.
 */
export const revertFilters = (
  filters: Iterable<readonly [bigint, Filter]>,
  change: Extract<HeadChange, { kind: 'reverted' }>,
): readonly MovedFilter[] => {
  const { to } = change
  let removedLogs: ReturnType<typeof change.removedLogs> | undefined
  const moved: MovedFilter[] = []
  for (const [id, filter] of filters) {
    if (isOfPool(filter.criteria)) continue
    const { next, since } = filter
    if (filter.criteria.kind === 'logs' && next > to + 1 && next > since) {
      removedLogs ??= change.removedLogs()
      filter.removed = [
        ...(filter.removed ?? []),
        { blocks: removedLogs, from: Math.max(to + 1, since), to: next - 1 },
      ]
    }
    filter.next = Math.max(filter.first, Math.min(next, to + 1))
    filter.since = Math.min(since, filter.next)
    const isMoved = filter.next !== next || filter.since !== since
    if (isMoved && typeof filter.owner === 'string')
      moved.push({ id, since: filter.since, next: filter.next })
  }
  return moved
}
