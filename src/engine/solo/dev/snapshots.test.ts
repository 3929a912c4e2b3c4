import { expect, test } from 'vitest'
import { Snapshots } from './snapshots.ts'

const hash = new Uint8Array(32).fill(7)
const taken = (id: number) => ({ id, number: id, hash, edit: 0, baseFee: 5n })

test('one more is one row more, however many there are', () => {
  const snapshots = new Snapshots([], [])
  for (let id = 0; id < 100; id++) {
    snapshots.add(taken(id))
    const { added, removed } = snapshots.changes()
    snapshots.onStored()
    expect(added.map((row) => row.id)).toEqual([id])
    expect(removed).toEqual([])
  }
  snapshots.removeWhere(({ id }) => id >= 98)
  expect(snapshots.changes()).toEqual({ added: [], removed: [98, 99] })
})

test('rows are read back, and those of an older version get rows', () => {
  const first = new Snapshots([], [])
  first.add(taken(3))
  const { added } = first.changes()
  const second = new Snapshots(added, [
    { id: 4, number: 4, hash: `0x${'07'.repeat(32)}`, edit: 0, baseFee: '5' },
  ])
  expect(second.all()).toEqual([taken(3), taken(4)])
  expect(second.changes().added.map(({ id }) => id)).toEqual([4])
})

test('changes that could not be stored are reverted, and rows that are due stay due', () => {
  const older = [4, 5].map((id) => ({ id, number: id, hash: `0x${'07'.repeat(32)}`, edit: 0, baseFee: '5' }))
  const snapshots = new Snapshots([], older)
  const before = snapshots.all()
  snapshots.removeWhere(({ id }) => id === 4)
  snapshots.add(taken(6))
  expect(snapshots.changes()).toMatchObject({ added: [{ id: 5 }, { id: 6 }], removed: [4] })
  snapshots.undo()
  expect(snapshots.all()).toEqual(before)
  expect(snapshots.changes()).toMatchObject({ added: [{ id: 4 }, { id: 5 }], removed: [] })
  snapshots.onStored()
  expect(snapshots.changes()).toEqual({ added: [], removed: [] })
})
