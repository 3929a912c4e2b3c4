/** Why a node should get no requests, in the order in which they are reported. */
export const unreadyReasons = [
  'starting',
  'engine',
  'store',
  'disk',
  'block',
  'database',
  'behind',
  'halted',
] as const

export type UnreadyReason = (typeof unreadyReasons)[number]

/** A reason, and what it is in one line. */
export interface Finding {
  readonly reason: UnreadyReason
  readonly problem: string
}
