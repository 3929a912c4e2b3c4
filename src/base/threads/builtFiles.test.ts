import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { endSpareWorker, keepSpareWorker, takeWorker, workerFlags } from './builtFiles.ts'

test('a thread gets the flags of its process, but for those with which it could load no file', () => {
  expect(workerFlags(['--expose-gc', '--import', './x.mjs'])).toEqual({})
  expect(workerFlags(['--expose-gc', '--input-type=module', '--eval'])).toEqual({ execArgv: [] })
})

describe('a worker that was started ahead', () => {
  const workerThat = (code: string): Worker => new Worker(code, { eval: true })

  test('is ended only when it has loaded its code', async () => {
    const events: string[] = []
    const worker = workerThat(`setTimeout(() => require('node:worker_threads').parentPort.postMessage(0), 200)
      setInterval(() => {}, 1000)`)
    worker.on('message', () => events.push('loaded'))
    worker.on('exit', () => events.push('ended'))
    keepSpareWorker('app', worker)
    await endSpareWorker('app')
    expect(events).toEqual(['loaded', 'ended'])
  })

  test('is ended at once if it has ended by itself', async () => {
    keepSpareWorker('app', workerThat('process.exit(3)'))
    await endSpareWorker('app')
    await endSpareWorker('app')
  })

  test('is the one that is taken', async () => {
    const worker = workerThat('setInterval(() => {}, 1000)')
    keepSpareWorker('app', worker)
    expect(takeWorker('app')).toBe(worker)
    await endSpareWorker('app')
    await worker.terminate()
  })
})
