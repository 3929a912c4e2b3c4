const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g

export const isGoDuration = /^\+?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/

/** Parses a duration in Go's notation (`1m30s`, `500ms`), which was checked before, and returns milliseconds. */
export const parseGoDuration = (text: string): number =>
  [...text.matchAll(part)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (units[unit as string] as number), // the pattern matches only these units
    0,
  )
