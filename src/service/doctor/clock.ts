import { type Finding, warning } from './finding.ts'
import type { PageStatus } from './pages.ts'

/** From this many seconds on a clock is worth a line; the alert has the same limit. */
const limitSeconds = 10

/** Whether a clock is so far from those of the validators that somebody should set it. */
export const isClockOff = (offsetSeconds: number): boolean => Math.abs(offsetSeconds) > limitSeconds

/** Looks at how far the clock of a node that runs is from those of the validators, as its pages tell. */
export const checkClockOffset = (pages: Pick<PageStatus, 'clockOffset'> | undefined): readonly Finding[] => {
  const offset = pages?.clockOffset ?? 0
  if (!isClockOff(offset)) return []
  const side = offset > 0 ? 'ahead of' : 'behind'
  const text = `the clock of the node that runs is ${Math.round(Math.abs(offset))} s ${side} the validators' clocks`
  return [warning('clock', text, 'set it by NTP (`timedatectl set-ntp true`)')]
}
