import type { StackFrame, StackTrace } from './stackTrace.ts'

/** Returns the lines of a trace, the innermost first, as stacks are written everywhere: `at Token.pay (src/Token.sol:12)`. */
export const stackTraceLines = ({ frames }: StackTrace): readonly string[] =>
  frames.map((frame) => `at ${nameOf(frame)}${placeOf(frame)}`)

const nameOf = ({ contract, function: name, address }: StackFrame): string => {
  if (contract === undefined) return name ?? `unknown code (${address})`
  return name === undefined ? contract : `${contract}.${name}`
}

const placeOf = ({ file, line }: StackFrame): string => (file === undefined ? '' : ` (${file}:${line})`)
