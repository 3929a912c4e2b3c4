import { fromHex } from '../../../src/base/encoding/hex.ts'
import { opcodeName } from '../../../src/evm/tracing/opcodeNames.ts'
import type { OpcodeLog, StructLog, VmOperation, VmTrace } from './types.ts'

/** Checks Parity's instructions against geth's opcode log with memory. */

interface FlatOperation {
  readonly operation: VmOperation
  readonly depth: number
  /** The code of its frame. */
  readonly code: Uint8Array
}

const flatten = ({ ops, code }: VmTrace, depth = 1): FlatOperation[] => {
  const bytes = fromHex(code)
  return ops.flatMap((operation) => [
    { operation, depth, code: bytes },
    ...(operation.sub === null ? [] : flatten(operation.sub, depth + 1)),
  ])
}

/** Whether every frame below an instruction ran: code that ran has instructions, and what did not begin is not a frame. */
const haveRun = ({ ops }: VmTrace): boolean =>
  ops.every(({ sub }) => sub === null || ((sub.code === '0x' || sub.ops.length > 0) && haveRun(sub)))

/** The instruction that stands in the code; at its end is a STOP. */
const isInCode = ({ operation: { pc, op }, code }: FlatOperation): boolean => opcodeName(code[pc] ?? 0) === op

/** Returns the next step of the same frame; undefined at its end. */
const nextInFrame = (steps: readonly StructLog[], at: number): StructLog | undefined => {
  const { depth } = steps[at] as StructLog
  for (let next = at + 1; next < steps.length; next++) {
    const step = steps[next] as StructLog
    if (step.depth < depth) return undefined
    if (step.depth === depth) return step
  }
  return undefined
}

const withoutPush =
  /^(?:STOP|RETURN|REVERT|INVALID|SELFDESTRUCT|POP|JUMP|JUMPI|JUMPDEST|SSTORE|TSTORE|MSTORE8?|MCOPY|LOG\d|.*COPY)$/

const pushCount = (op: string): number => {
  const [, kind, number] = /^(DUP|SWAP)(\d+)$/.exec(op) ?? []
  if (kind !== undefined) return Number(number) + 1
  return withoutPush.test(op) ? 0 : 1
}

const creates = /^CREATE2?$/

const memoryOf = ({ memory = [] }: StructLog): string => memory.map((word) => word.slice(2)).join('')

const check = (operation: VmOperation, steps: readonly StructLog[], at: number): string[] => {
  const step = steps[at] as StructLog
  const wrong: string[] = []
  const same = (name: string, ours: unknown, theirs: unknown): void => {
    if (JSON.stringify(ours) !== JSON.stringify(theirs))
      wrong.push(
        `${name} of step ${at} (${step.op}): ${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`,
      )
  }
  same('op', [operation.pc, operation.op], [step.pc, step.op])
  if (!creates.test(step.op)) same('cost', operation.cost, step.gasCost)
  const next = nextInFrame(steps, at)
  const { ex } = operation
  if (next === undefined) {
    if (ex === null) return wrong
    same('used at the end', ex.used, step.gas - step.gasCost)
    same('push at the end', ex.push, [])
    return wrong
  }
  if (ex === null) return [...wrong, `step ${at} has no outcome, but one after it`]
  same('used', ex.used, next.gas)
  const count = pushCount(step.op)
  same('push', ex.push, count === 0 ? [] : next.stack.slice(-count))
  const top = (position: number): string => step.stack.at(-1 - position) ?? ''
  same('store', ex.store, step.op === 'SSTORE' ? { key: top(0), val: top(1) } : null)
  if (ex.mem !== null) {
    const { off, data } = ex.mem
    same('mem', data.slice(2), memoryOf(next).slice(2 * off, 2 * off + data.length - 2))
  } else if (/^(?:MSTORE8?|MLOAD)$/.test(step.op)) wrong.push(`step ${at} (${step.op}) has no memory`)
  return wrong
}

export const checkSteps = (trace: VmTrace, { structLogs }: OpcodeLog): string[] => {
  if (!haveRun(trace)) return ['a frame that did not begin']
  const operations = flatten(trace)
  if (operations.length !== structLogs.length)
    return [`${operations.length} instructions instead of ${structLogs.length}`]
  const depths = operations.map(({ depth }) => depth)
  if (depths.some((depth, at) => depth !== structLogs[at]?.depth)) return ['instructions are in other frames']
  const failed = structLogs.findIndex(
    ({ error }, at) => error !== undefined && operations[at]?.operation.ex !== null,
  )
  if (failed >= 0) return [`step ${failed} failed and has an outcome`]
  const strange = operations.findIndex((each) => !isInCode(each))
  if (strange >= 0) return [`step ${strange} (${structLogs[strange]?.op}) is not in the code of its frame`]
  return operations.flatMap(({ operation }, at) => check(operation, structLogs, at))
}
