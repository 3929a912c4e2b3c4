import { expect, test } from 'vitest'
import { isAnsweredByFront } from './words.ts'

test.each([[[]], [['start']], [['start', '--help']], [['help', 'start']], [['version', '--help']], [['-v']]])(
  'the command line %j is left to the program',
  (words) => {
    expect(isAnsweredByFront(words)).toBe(false)
  },
)

test.each(['version', '--version', '-V', 'help', '--help', '-h'])('%s alone needs no program', (word) => {
  expect(isAnsweredByFront([word])).toBe(true)
})
