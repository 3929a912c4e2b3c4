/**
 * Returns the time of the next block in seconds, given its parent's time and the current time in milliseconds since
 * 1970.
 */
export type BlockTimeRule = (parentTime: number, nowMs: number) => number

const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1000)

/** Returns a time later than the parent's, as in Ethereum, even if many blocks come in one second. */
export const laterThanParent: BlockTimeRule = (parentTime, nowMs) =>
  Math.max(secondsOf(nowMs), parentTime + 1)

/** Returns a time that may equal the parent's, as CometBFT's do, for intervals below a second. */
export const notBeforeParent: BlockTimeRule = (parentTime, nowMs) => Math.max(secondsOf(nowMs), parentTime)
