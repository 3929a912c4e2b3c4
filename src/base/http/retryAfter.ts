/** Returns the milliseconds of a Retry-After header: a number of seconds, or a date. */
export const parseRetryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined
  const seconds = /^\s*(\d+(?:\.\d+)?)\s*$/.exec(header)?.[1]
  if (seconds !== undefined) return Number(seconds) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
