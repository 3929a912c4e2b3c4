import { toHex } from '../../base/encoding/hex.ts'
import { opcodeName } from '../tracing/opcodeNames.ts'
import type { ExitEvent, StepEvent, Tracer } from '../types.ts'
import type { TraceOutput } from './output.ts'
import type { StructLogOptions } from './structLogger.ts'

/** geth's standard log: a line for each instruction and for each end of a call (EIP-3155 in its main parts). */
export const jsonLogger = (options: StructLogOptions, output: TraceOutput): Tracer => {
  const isOver = (): boolean => options.limit !== 0 && output.size > options.limit

  const writeStep = (step: StepEvent, withReturnData: boolean): void => {
    if (isOver()) return
    output.ascii(`{"pc":${step.pc},"op":${step.op},"gas":"0x${step.gas.toString(16)}"`)
    output.ascii(`,"gasCost":"0x${step.cost.toString(16)}"`)
    if (options.enableMemory && step.memorySize > 0) {
      output.dataMember(',"memory":', step.memory(0, step.memorySize))
    }
    output.ascii(`,"memSize":${step.memorySize},"stack":`)
    if (options.disableStack) output.ascii('null')
    else {
      output.ascii('[')
      for (let index = 0; index < step.stackSize; index++) {
        output.ascii(index === 0 ? '"' : ',"')
        output.word(step.raw.bytes, step.raw.stackAt + index * 32)
        output.ascii('"')
      }
      output.ascii(']')
    }
    const { returnData } = step
    if (options.enableReturnData && withReturnData && returnData.length > 0)
      output.ascii(`,"returnData":"${toHex(returnData)}"`)
    output.ascii(`,"depth":${step.depth},"refund":${step.refund},"opName":"${opcodeName(step.op)}"`)
    if (step.message !== undefined) {
      output.ascii(',"error":')
      output.json(step.message)
    }
    output.ascii('}\n')
  }

  return {
    step: (step) => writeStep(step, true),
    fault: (step) => writeStep(step, false),
    exit: ({ output: data, gasUsed, message }: ExitEvent) => {
      if (isOver()) return
      output.ascii('{"output":"')
      output.hex(data)
      output.ascii(`","gasUsed":"0x${gasUsed.toString(16)}"`)
      if (message !== undefined) {
        output.ascii(',"error":')
        output.json(message)
      }
      output.ascii('}\n')
    },
  }
}
