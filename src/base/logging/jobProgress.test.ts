import { expect, test } from 'vitest'
import { JobProgress } from './jobProgress.ts'

const setUp = () => {
  let at = 0
  const lines: unknown[] = []
  const log = { info: (members: unknown, message?: string) => void lines.push([message, members]) }
  const job = new JobProgress({ doing: 'doing', done: 'done', unit: 'blocks' }, log as never, () => at)
  return { lines, job, wait: (ms: number) => (at += ms) }
}

test('tells the rate and the time left, now and then, and the end', () => {
  const { lines, job, wait } = setUp()
  job.step(100, 400)
  wait(4000)
  job.step(140, 400)
  wait(1000)
  job.step(150, 400)
  wait(100)
  job.step(152, 400)
  job.end()
  job.end()
  expect(lines).toEqual([
    ['doing', { progress: 'running', done: 150, total: 400, unit: 'blocks', perSecond: 10, secondsLeft: 25 }],
    ['done', { progress: 'done', count: 52, unit: 'blocks', seconds: 5 }],
  ])
})

test('a job that ends at once says nothing, and one that stands has no time left', () => {
  const { lines, job, wait } = setUp()
  job.step(0, 5)
  job.step(5, 5)
  job.end()
  expect(lines).toEqual([])
  job.step(1, 5)
  wait(5000)
  job.step(1, 5)
  expect(lines).toEqual([['doing', { progress: 'running', done: 1, total: 5, unit: 'blocks' }]])
})
