import type { Runtime } from 'node:inspector'
import { type InspectedThread, ThreadInspector } from './threadInspector.ts'

/** So deep a stack is shown. */
const maxFrames = 200
/** What the expression is called in stacks, so that its own frames can be left out. */
const expressionName = 'perihelion-stacks'

// The inspector interrupts a thread that is busy, so that this runs on top of what it was doing.
const expression = `(() => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = ${maxFrames}
  const { stack } = new Error()
  Error.stackTraceLimit = limit
  return stack
})()
//# sourceURL=${expressionName}`

/** The stacks of all threads as text; with a filter, of those threads whose part of it holds that text. */
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
    // In native code for long, or gone.
    return `${thread.name}: ${(error as Error).message}`
  }
}

const framesOf = (stack = ''): string[] =>
  stack.split('\n').filter((line) => line.startsWith('    at ') && !line.includes(expressionName))

const describe = (name: string, frames: readonly string[]): string =>
  [`${name}: ${frames.length === 0 ? 'waits for work' : 'runs'}`, ...frames].join('\n')
