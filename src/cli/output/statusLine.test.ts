import { expect, test } from 'vitest'
import { StatusLine } from './statusLine.ts'

const setUp = (isTTY: boolean) => {
  let written = ''
  const line = new StatusLine({ isTTY, columns: 20, write: (text) => (written += text) })
  return { line, written: () => written }
}

test('lines come above the status, which fits the terminal', () => {
  const { line, written } = setUp(true)
  line.write('one\n')
  line.set('catching up: 10%, 12 of 120 blocks')
  line.write('two\n')
  line.set('')
  line.write('three\n')
  const status = 'catching up: 10%, 1'
  expect(written()).toBe(`one\n\r\x1b[K${status}\r\x1b[Ktwo\n${status}\r\x1b[Kthree\n`)
})

test('there is none elsewhere', () => {
  const { line, written } = setUp(false)
  line.set('catching up')
  line.write('one\n')
  expect(written()).toBe('one\n')
})
