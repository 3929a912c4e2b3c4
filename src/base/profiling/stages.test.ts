import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { beginStage, endStage, hasStageListener, type StageRecord, stageChannel } from './stages.ts'

test('nothing is reported, nor is the time read, while nobody listens', () => {
  expect(hasStageListener()).toBe(false)
  expect(beginStage()).toBe(0)
  expect(endStage('decode', 0, 1)).toBe(0)
})

test('a listener learns what a stage took, of how many transactions', () => {
  const records: StageRecord[] = []
  const listener = (record: unknown): void => void records.push(record as StageRecord)
  subscribe(stageChannel, listener)
  try {
    const begun = beginStage()
    expect(begun).toBeGreaterThan(0)
    const next = endStage('execute', begun, 20)
    endStage('sync', next, 0, 'wait')
    expect(next).toBeGreaterThanOrEqual(begun)
    expect(records).toEqual([
      { stage: 'execute', kind: 'work', milliseconds: next - begun, transactions: 20 },
      { stage: 'sync', kind: 'wait', milliseconds: expect.any(Number), transactions: 0 },
    ])
  } finally {
    unsubscribe(stageChannel, listener)
  }
  expect(beginStage()).toBe(0)
})
