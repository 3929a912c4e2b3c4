import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

const record = (isTTY: boolean, columns = 80) => {
  let text = ''
  let at = 0
  const output = {
    isTTY,
    columns,
    write: (part: string): void => {
      text += part
    },
  }
  const progress = createProgress({ label: 'checking', unit: 'blocks' }, output, () => at)
  return {
    progress,
    after: (ms: number): void => {
      at += ms
    },
    text: () => text,
  }
}

test('a terminal has one line that is written over and removed, with rate and time left', () => {
  const { progress, after, text } = record(true)
  progress.step(0, 100)
  after(1000)
  progress.step(20, 100)
  expect(text()).toBe('\r\x1b[Kchecking: 20%, 20 of 100 blocks, 20 blocks/s, 4 s left')
  after(50)
  progress.step(21, 100)
  after(50)
  progress.step(22, 100)
  progress.stop()
  expect(text().split('\r')).toHaveLength(4)
  expect(text().endsWith('\r\x1b[K')).toBe(true)
})

test('a narrow terminal is not wrapped', () => {
  const { progress, after, text } = record(true, 20)
  progress.step(0, 100)
  after(1000)
  progress.step(20, 100)
  expect(text()).toBe('\r\x1b[Kchecking: 20%, 20 o')
})

test('elsewhere there is a line every ten seconds, and none for a short job', () => {
  const { progress, after, text } = record(false)
  progress.step(1000, 3000)
  after(9000)
  progress.step(1100, 3000)
  expect(text()).toBe('')
  after(1000)
  progress.step(1200, 3000, '3 Mgas/s')
  progress.step(1201, 3000)
  progress.stop()
  expect(text()).toBe('checking: 40%, 1200 of 3000 blocks, 20 blocks/s, 3 Mgas/s, 1 min 30 s left\n')
})
