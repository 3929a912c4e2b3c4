/** Gives the time of the next block in seconds, from that of its parent and from now, in milliseconds since 1970. */
export type BlockTimeRule = (parentTime: number, nowMs: number) => number

const secondsOf = (milliseconds: number): number => Math.floor(milliseconds / 1000)

/** A block may come many times a second and still needs a later time than its parent, as Ethereum has it. */
export const laterThanParent: BlockTimeRule = (parentTime, nowMs) =>
  Math.max(secondsOf(nowMs), parentTime + 1)

/** Blocks that come at an interval below a second may repeat the time, as CometBFT's do. */
export const notBeforeParent: BlockTimeRule = (parentTime, nowMs) => Math.max(secondsOf(nowMs), parentTime)
