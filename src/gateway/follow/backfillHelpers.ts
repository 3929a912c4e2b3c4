import type { Upstream } from '../upstreams/upstream.ts'
import type { BlockSource } from './blockSource.ts'
import { minSharedPrefetch } from './sharedStream.ts'

/** So many blocks at least are fetched from several upstreams at once; the newest of them always from one. */
const minSharedBlocks = 256
const newestBlocks = 64
const maxHelpers = 3

/** Returns whether a range of blocks is long enough, and its blocks small enough, to ask several upstreams for it. */
export const isWorthSharing = (lead: BlockSource, from: number, to: number): boolean =>
  to - from >= minSharedBlocks && lead.prefetch >= minSharedPrefetch

/** Returns the last block of a range that several upstreams are asked for. */
export const lastShared = (from: number, to: number): number => Math.max(from, to - newestBlocks)

/** Returns the upstreams that have a range of blocks beside the one that is followed. */
export const chooseHelpers = (
  candidates: readonly Upstream[],
  lead: string,
  to: number,
): readonly Upstream[] =>
  candidates
    .filter(
      ({ name, address, status }) =>
        name !== lead &&
        address.weight !== 0 &&
        (address.roles === undefined || address.roles.includes('archive')) &&
        (status?.latestHeight ?? 0) >= to - newestBlocks,
    )
    .slice(0, maxHelpers)
