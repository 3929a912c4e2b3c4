import { expect, test } from 'vitest'
import { describeUntriedNode, triedNodeMajors } from './nodeVersion.ts'

test('a major version that was not tried is reported, whatever follows it', () => {
  for (const major of triedNodeMajors) expect(describeUntriedNode(`${major}.19.0`)).toBeUndefined()
  expect(describeUntriedNode('21.0.0')).toMatch(/^Node\.js 21\.0\.0 was not tried/)
  expect(describeUntriedNode('99.1.0-nightly')).toMatch(/99\.1\.0-nightly/)
})
