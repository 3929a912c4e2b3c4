import type { TransactionLocation } from '../../chain/port/location.ts'
import type { AppearanceQuery } from '../../chain/port/logs.ts'
import type { AppearanceIndex } from '../../store/index/appearances.ts'

/** An index that no block reaches. */
const lastIndex = Number.MAX_SAFE_INTEGER

/** Returns where a query begins among Cosmos transactions, which come behind the Ethereum ones; undefined for nowhere. */
const startOf = (
  { from, direction }: AppearanceQuery,
  ethereumCount: (number: number) => number,
): { readonly at: TransactionLocation | undefined } | undefined => {
  if (from === undefined) return { at: undefined }
  const { number, index } = from
  if (index === lastIndex) return { at: from }
  const position = index - ethereumCount(number)
  if (position >= 0) return { at: { number, index: position } }
  if (direction === 'forward') return { at: { number, index: 0 } }
  return number === 0 ? undefined : { at: { number: number - 1, index: lastIndex } }
}

/** Adds the Cosmos transactions in which an address appears to the Ethereum ones, in the order of the query. */
export const mergeAppearances = (
  query: AppearanceQuery,
  stored: readonly TransactionLocation[],
  cosmos: Pick<AppearanceIndex, 'find'>,
  ethereumCount: (number: number) => number,
): readonly TransactionLocation[] => {
  const start = startOf(query, ethereumCount)
  if (start === undefined) return stored
  const added = cosmos
    .find({ ...query, from: start.at })
    .map(({ number, index }) => ({ number, index: ethereumCount(number) + index }))
  if (added.length === 0) return stored
  const sign = query.direction === 'forward' ? 1 : -1
  return [...stored, ...added]
    .sort((a, b) => sign * (a.number - b.number || a.index - b.index))
    .slice(0, query.limit)
}
