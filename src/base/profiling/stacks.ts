import type { Runtime } from 'node:inspector'
import { type InspectedThread, ThreadInspector } from './threadInspector.ts'

/** The maximum number of frames of a stack. */
const maxFrames = 200
/** The name of the expression in stacks, by which its frames are left out. */
const expressionName = 'perihelion-stacks'

// The inspector interrupts a busy thread, so that this expression runs on top of its stack.
const expression = `(() => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = ${maxFrames}
  const { stack } = new Error()
  Error.stackTraceLimit = limit
  return stack
})()
//# sourceURL=${expressionName}`

/** Returns the stacks of all threads as text, or only of the threads whose text contains `filter`. */
export const readStacks = async (filter = ''): Promise<string> => {
  const main = describe('main', framesOf(new Error('of this call').stack))
  const inspector = await ThreadInspector.open()
  try {
    const [, ...workers] = inspector.threads
    const parts = [main, ...(await Promise.all(workers.map(readStack)))]
    return parts.filter((part) => part.includes(filter)).join('\n\n')
  } finally {
    inspector.close()
  }
}

const readStack = async (thread: InspectedThread): Promise<string> => {
  try {
    const { result } = await thread.post<Runtime.EvaluateReturnType>('Runtime.evaluate', { expression })
    return describe(thread.name, framesOf(String(result.value)))
  } catch (error) {
    // The thread is in native code for a long time, or has ended.
    return `${thread.name}: ${(error as Error).message}`
  }
}

const framesOf = (stack = ''): string[] =>
  stack.split('\n').filter((line) => line.startsWith('    at ') && !line.includes(expressionName))

const describe = (name: string, frames: readonly string[]): string =>
  [`${name}: ${frames.length === 0 ? 'waits for work' : 'runs'}`, ...frames].join('\n')
