/**
 * The time of the next block, in seconds. A block for each transaction may come many times a second and still needs a
 * later time than its parent, as Ethereum has it; a steady beat below a second may repeat the time, as CometBFT does.
 */
export const nextBlockTime = (parentTime: number, nowMs: number, isBeatBelowOneSecond: boolean): number => {
  const now = Math.floor(nowMs / 1000)
  return Math.max(now, isBeatBelowOneSecond ? parentTime : parentTime + 1)
}
