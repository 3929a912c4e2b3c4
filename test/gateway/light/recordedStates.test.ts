import { expect, test } from 'vitest'
import { NativeQueryError } from '../../../src/comet/data/nativeQuery.ts'
import { ProvenLie } from '../../../src/comet/data/provenLie.ts'
import { readLines } from './fixtures.ts'
import { forge, openRecordedStates, type RecordedQuery } from './recordedStates.ts'

const recorded = readLines<RecordedQuery>('states.jsonl.gz')

test('every answer of a real node is proven by the next header', async () => {
  const { proofs, check, questions } = openRecordedStates(recorded)
  for (const question of questions) await check(question)
  expect(questions).toHaveLength(20)
  expect([...proofs.counts()]).toEqual([['proven', 20]])
})

test('no answer is, where a bit of a value is another', async () => {
  let isLying = false
  const { proofs, check, questions } = openRecordedStates(recorded, (value) =>
    isLying && value.length > 0 ? forge(value) : value,
  )
  for (const question of questions) await check(question)
  isLying = true
  const told = questions.filter(({ reply }) => reply.response.value)
  for (const question of told) {
    // Slots that are all zero have not shown yet that their keys are known: then it is refused, and nobody called a liar.
    const isKnown = !question.path.endsWith('Storage')
    await expect(check(question)).rejects.toBeInstanceOf(isKnown ? ProvenLie : NativeQueryError)
  }
  expect(told.length).toBeGreaterThan(15)
  expect(proofs.counts().get('proven')).toBe(20)
})
