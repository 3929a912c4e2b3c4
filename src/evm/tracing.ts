import { callKind, haltReason } from './halts.ts'
import type { HostState } from './host.ts'
import type { HostImports } from './instance.ts'
import { readLog } from './logs.ts'
import type { StepEvent } from './types.ts'
import { readWord, readWordAsBytes } from './words.ts'

type TraceImports = Pick<HostImports, 'step' | 'fault' | 'enter' | 'exit' | 'log' | 'read'>

const nothing = (): void => {}

/** For the plain build, which never calls them. */
export const silentImports: TraceImports = {
  step: nothing,
  fault: nothing,
  enter: nothing,
  exit: nothing,
  log: nothing,
  read: nothing,
}

/** Turns what the instrumented build reports into events for the execution's tracer. */
export const createTraceImports = (current: () => HostState): TraceImports => {
  let depth = 0
  let last: StepEvent | undefined

  const stepEvent = ([pc, op, gas, cost, frame, sp, error]: Parameters<HostImports['step']>): StepEvent => {
    const { instance } = current()
    const { view, at, run } = instance
    const base = view.getUint32(frame + at.F_STACK, true)
    const memoryAt = view.getUint32(frame + at.F_MEM, true)
    const memorySize = view.getUint32(frame + at.F_MEMSIZE, true)
    return {
      pc,
      op,
      gas,
      cost,
      depth,
      refund: run.refund.value,
      get address() {
        return instance.addressOf(instance.view.getUint32(frame + at.F_SELF, true))
      },
      stackSize: (sp - base) / 32,
      stack: (index) => readWord(instance.view, sp - 32 - index * 32),
      memorySize,
      memory: (offset, length) => {
        const end = Math.min(offset + length, memorySize)
        return offset >= end ? new Uint8Array(0) : instance.copy(memoryAt + offset, end - offset)
      },
      get returnData() {
        return instance.copy(at.RETURN_DATA, run.returnSize.value)
      },
      error: haltReason(error),
    }
  }

  return {
    step: (...values) => {
      const { tracer } = current().context
      if (tracer?.step === undefined && tracer?.fault === undefined) return
      last = stepEvent(values)
      tracer.step?.(last)
    },
    fault: (error) => {
      const { tracer } = current().context
      if (last === undefined || tracer?.fault === undefined) return
      const reason = haltReason(error)
      tracer.fault(Object.create(last, { error: { value: reason } }) as StepEvent)
    },
    enter: (kind, from, to, value, gas, input, length, precompile) => {
      const { context, instance } = current()
      context.tracer?.enter?.({
        kind: callKind(kind),
        depth,
        from: readWordAsBytes(instance.bytes, from, 20),
        to: readWordAsBytes(instance.bytes, to, 20),
        value: readWord(instance.view, value),
        gas,
        input: instance.copy(input, length),
        isPrecompile: precompile !== 0,
      })
      depth++
    },
    exit: (gasUsed, output, length, error) => {
      const { context, instance } = current()
      depth--
      context.tracer?.exit?.({
        depth,
        gasUsed,
        output: instance.copy(output, length),
        error: haltReason(error),
      })
    },
    log: (entry) => {
      const { context, instance } = current()
      context.tracer?.log?.(readLog(instance, entry).log, depth)
    },
    read: (kind, account, slot, value) => {
      const { context, instance } = current()
      const { tracer } = context
      if (tracer === undefined) return
      const { bytes, at } = instance
      const address = instance.addressOf(account)
      const word = (pointer: number): Uint8Array => readWordAsBytes(bytes, pointer, 32)
      if (kind === 0) tracer.storageRead?.(address, word(slot), word(value))
      else if (kind === 1) tracer.balanceRead?.(address, readWord(instance.view, account + at.A_BALANCE))
      else if (kind === 2) tracer.accountRead?.(address)
      else if (tracer.storageWrite !== undefined) {
        const before = readWordAsBytes(bytes, instance.run.slot(account, slot) + at.S_VALUE, 32)
        tracer.storageWrite(address, word(slot), before, word(value))
      }
    },
  }
}
