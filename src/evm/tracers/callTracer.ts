import type { CallFrame, FrameLog } from './callFrames.ts'
import { CallFrameTree, clearFailedLogs } from './callFrames.ts'
import type { TraceOutput } from './output.ts'
import type { TracerFactory } from './tracer.ts'
import { readFlag } from './tracerConfig.ts'

/** The tracer that returns the tree of calls. */
export const callTracer: TracerFactory = (config, { logsBefore, memoryLimit }) => {
  const isTopOnly = readFlag(config, 'onlyTopCall')
  const withLog = readFlag(config, 'withLog')
  const frames = new CallFrameTree((frame) => frame, memoryLimit)
  let gasLimit = 0n
  return {
    start: (event) => {
      gasLimit = event.gasLimit
    },
    enter: (event) => {
      if (isTopOnly && event.depth > 0) return
      const frame = frames.enter(event)
      if (event.depth === 0) frame.gas = gasLimit
    },
    exit: (event) => {
      if (!isTopOnly || event.depth === 0) frames.exit(event)
    },
    log: (log, depth, index) => {
      if (withLog && (!isTopOnly || depth === 1)) frames.addLog(log, logsBefore + index)
    },
    end: ({ gasUsed }) => {
      frames.top.gasUsed = gasUsed
      if (withLog) clearFailedLogs(frames.top)
    },
    result: (output) => writeFrame(frames.top, output),
  }
}

/** Writes the members that every kind of call tracer has, in geth's order, and leaves the object open. */
export const writeHead = (frame: CallFrame, output: TraceOutput): void => {
  output.dataMember('{"from":', frame.from)
  output.quantityMember(',"gas":', frame.gas)
  output.quantityMember(',"gasUsed":', frame.gasUsed)
  if (frame.to !== undefined) output.dataMember(',"to":', frame.to)
  output.dataMember(',"input":', frame.input)
  if (frame.output !== undefined && frame.output.length > 0) output.dataMember(',"output":', frame.output)
  if (frame.error !== undefined) {
    output.ascii(',"error":')
    output.json(frame.error)
  }
  if (frame.revertReason !== undefined && frame.revertReason !== '') {
    output.ascii(',"revertReason":')
    output.json(frame.revertReason)
  }
}

export const writeLogs = (logs: readonly FrameLog[], output: TraceOutput): void =>
  output.listMember('logs', logs, ({ log, index, position }) => {
    output.dataMember('{"address":', log.address)
    output.ascii(',"topics":[')
    for (const [location, topic] of log.topics.entries()) {
      if (location > 0) output.ascii(',')
      output.data(topic)
    }
    output.dataMember('],"data":', log.data)
    output.quantityMember(',"index":', index)
    output.quantityMember(',"position":', position)
    output.ascii('}')
  })

export const writeValue = ({ value }: CallFrame, output: TraceOutput): void => {
  if (value === undefined) return
  output.quantityMember(',"value":', value)
}

/** Writes a frame with those inside it, recursively; the depth is at most 1,025. */
const writeFrame = (frame: CallFrame, output: TraceOutput): void => {
  writeHead(frame, output)
  output.listMember('calls', frame.calls, (call) => writeFrame(call, output))
  writeLogs(frame.logs, output)
  writeValue(frame, output)
  output.ascii(`,"type":"${frame.kind}"}`)
}
