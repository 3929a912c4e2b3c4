import type { StackFrame, StackTrace } from './stackTrace.ts'

/**
 * Returns the lines of a trace, the innermost first, as stacks are written everywhere: `at Token.pay (src/Token.sol:12)`.
 * A path that makes a line wider than `width` loses its beginning.
 */
export const stackTraceLines = (
  { frames }: StackTrace,
  width = Number.POSITIVE_INFINITY,
): readonly string[] =>
  frames.map((frame) => {
    const name = `at ${nameOf(frame)}`
    const { file, line } = frame
    if (file === undefined) return name
    return `${name} (${shorten(file, width - `${name} (:${line})`.length)}:${line})`
  })

const nameOf = ({ contract, function: name, address }: StackFrame): string => {
  if (contract === undefined) return name ?? `unknown code (${address})`
  return name === undefined ? contract : `${contract}.${name}`
}

/** What is always left of a path. */
const minPath = 12

const shorten = (path: string, length: number): string =>
  path.length <= length ? path : `…${path.slice(1 - Math.max(minPath, length))}`
