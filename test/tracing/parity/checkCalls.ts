import type { CallFrame, Trace } from './types.ts'

/** Checks Parity's list of traces against the tree of geth's call tracer, which another tracer wrote. */

/** What geth says of a failure, and what Parity says of it. */
const words: readonly (readonly [RegExp, string])[] = [
  [/^execution reverted$/, 'Reverted'],
  [/^(?:out of gas|gas uint64 overflow|contract creation code storage out of gas)/, 'Out of gas'],
  [/^max (?:init)?code size exceeded/, 'Out of gas'],
  [/^stack underflow/, 'Stack underflow'],
  [/^stack limit reached/, 'Out of stack'],
  [/^invalid opcode/, 'Bad instruction'],
  [/^invalid jump destination$/, 'Bad jump destination'],
  [/^write protection$/, 'Mutable Call In Static Context'],
  [/^return data out of bounds$/, 'Out of bounds'],
  [/^max call depth exceeded$/, 'Max call depth exceeded'],
  [/^insufficient balance for transfer$/, 'Insufficient balance for transfer'],
  [/^contract address collision$/, 'Contract address collision'],
  [/^invalid code: must not begin with 0xef$/, 'Invalid code'],
]

const isPrecompile = (address: string): boolean => {
  const number = BigInt(address)
  return (number >= 1n && number <= 0x11n) || number === 0x100n
}

const isHidden = ({ to, value = '0x0' }: CallFrame): boolean =>
  to !== undefined && isPrecompile(to) && BigInt(value) === 0n

const typeOf = (type: string): string => {
  if (type === 'SELFDESTRUCT') return 'suicide'
  return type.startsWith('CREATE') ? 'create' : 'call'
}

interface Expected {
  readonly frame: CallFrame
  readonly traceAddress: readonly number[]
  readonly subtraces: number
}

const flatten = (frame: CallFrame, traceAddress: readonly number[] = []): Expected[] => {
  const inner = (frame.calls ?? []).filter((call) => !isHidden(call))
  return [
    { frame, traceAddress, subtraces: inner.length },
    ...inner.flatMap((call, index) => flatten(call, [...traceAddress, index])),
  ]
}

/** Failures that depend on the call alone have words that geth's precompiles say in many ways. */
const isExpectedError = (error: string, frame: CallFrame): boolean => {
  const known = words.find(([pattern]) => pattern.test(frame.error ?? ''))
  if (known !== undefined && known[1] === error) return true
  // A write in a static frame is found before its gas is known.
  if (/write protection/.test(frame.error ?? '')) return error === 'Mutable Call In Static Context'
  return error === 'Built-in failed' && frame.to !== undefined && isPrecompile(frame.to)
}

const compare = (trace: Trace, { frame, traceAddress, subtraces }: Expected): string[] => {
  const wrong: string[] = []
  const same = (name: string, ours: unknown, theirs: unknown): void => {
    if (JSON.stringify(ours) !== JSON.stringify(theirs))
      wrong.push(`${name} of [${traceAddress}]: ${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`)
  }
  const { action, result } = trace
  const type = typeOf(frame.type)
  same('type', trace.type, type)
  same('traceAddress', trace.traceAddress, traceAddress)
  same('subtraces', trace.subtraces, subtraces)
  if (type === 'suicide') {
    same('action', action, { address: frame.from, balance: frame.value, refundAddress: frame.to })
    same('result', result, null)
    return wrong
  }
  same('from', action.from, frame.from)
  same('value', action.value, frame.value ?? '0x0')
  same(type === 'create' ? 'init' : 'input', action[type === 'create' ? 'init' : 'input'], frame.input)
  if (type === 'call') {
    same('to', action.to, frame.to)
    same('callType', action.callType, frame.type.toLowerCase())
  } else same('creationMethod', action.creationMethod, frame.type.toLowerCase())
  if (traceAddress.length > 0) same('gas', action.gas, frame.gas)
  else if (BigInt(action.gas ?? '0x0') > BigInt(frame.gas)) wrong.push('the outermost call has too much gas')
  if ((trace.error === undefined) !== (frame.error === undefined)) wrong.push(`error of [${traceAddress}]`)
  if (trace.error !== undefined && !isExpectedError(trace.error, frame))
    wrong.push(`error of [${traceAddress}]: ${trace.error} is not ${frame.error}`)
  const hasResult = frame.error === undefined || frame.error === 'execution reverted'
  same('whether there is a result', result !== null, hasResult)
  if (result === null) return wrong
  if (traceAddress.length > 0) same('gasUsed', result.gasUsed, frame.gasUsed)
  if (type === 'call') same('output', result.output, frame.output ?? '0x')
  else {
    same('code', result.code, frame.output ?? '0x')
    if (frame.error === undefined) same('address', result.address, frame.to)
  }
  return wrong
}

export const checkCalls = (traces: readonly Trace[], top: CallFrame): string[] => {
  const expected = flatten(top)
  if (traces.length !== expected.length) return [`${traces.length} traces instead of ${expected.length}`]
  return traces.flatMap((trace, index) => compare(trace, expected[index] as Expected))
}
