import { Worker } from 'node:worker_threads'

/** Loads by name, so that a profile can be searched for them. */

let made = 0

/**
 * Keeps the thread busy, in a function that is made anew: V8's profiler does not know loops that it compiled before it
 * was started.
 */
export const spinForTheTest = (milliseconds: number): void => {
  const source = `// ${++made}
    return function spinForTheTest(end) {
      let sum = 0
      while (performance.now() < end) for (let i = 0; i < 1000; i++) sum += Math.sqrt(sum + i)
      return sum
    }`
  const spin = new Function(source)() as (end: number) => number
  spin(performance.now() + milliseconds)
}

/** Objects of about 40 bytes each, in use as long as the result is. */
export const allocateForTheTest = (count: number): object[] => {
  const objects: object[] = []
  for (let index = 0; index < count; index++) objects.push({ index, next: index + 1 })
  return objects
}

export interface BusyThread {
  /** Resolves when it is busy; it will be so until it is ended. */
  begin(): Promise<void>
  end(): Promise<unknown>
}

export const startThread = async (): Promise<BusyThread> => {
  const source = `
    const { parentPort } = require('node:worker_threads')
    parentPort.postMessage('ready')
    parentPort.once('message', function spinInTheThread() {
      parentPort.postMessage('busy')
      let sum = 0
      for (;;) sum += Math.sqrt(sum + 1)
    })`
  const worker = new Worker(source, { eval: true, name: 'load of the test' })
  const next = () => new Promise<void>((resolve) => worker.once('message', () => resolve()))
  await next()
  return {
    begin: async () => {
      const busy = next()
      worker.postMessage('go')
      await busy
    },
    end: () => worker.terminate(),
  }
}
