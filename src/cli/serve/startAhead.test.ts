import { expect, test } from 'vitest'
import { startAhead } from './startAhead.ts'

test.each([[[]], [['version']], [['anvil']], [['start', '--help']], [['start', '--ephemeral']]])(
  'nothing is started ahead for the command line %j',
  (words) => {
    expect(startAhead(words)).toBeUndefined()
  },
)
