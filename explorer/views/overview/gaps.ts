/** A figure this many times the usual one is a gap, such as the hours in which nobody used a chain for development. */
const gapFactor = 8

/** The figures that are not gaps, the smallest first. */
export const withoutGaps = (values: ArrayLike<number | null | undefined>): readonly number[] => {
  const figures = Array.from(values).filter((value) => typeof value === 'number' && !Number.isNaN(value))
  const sorted = (figures as number[]).toSorted((one, other) => one - other)
  const usual = Math.max(1, sorted[sorted.length >> 1] ?? 0)
  return sorted.filter((value) => value <= gapFactor * usual)
}

/** How high a chart is whose largest figure this is; one of nothing has a height too. */
export const heightFor = (largest: number | undefined): number =>
  largest === undefined || !(largest > 0) ? 1 : largest * 1.1
