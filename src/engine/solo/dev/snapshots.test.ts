import { expect, test } from 'vitest'
import { Snapshots } from './snapshots.ts'

const hash = new Uint8Array(32).fill(7)
const taken = (id: number) => ({ id, number: id, hash, edit: 0, baseFee: 5n })

test('one more is one row more, however many there are', () => {
  const snapshots = new Snapshots([], [])
  for (let id = 0; id < 100; id++) {
    snapshots.add(taken(id))
    const { added, removed } = snapshots.takeChanges()
    expect(added.map((row) => row.id)).toEqual([id])
    expect(removed).toEqual([])
  }
  snapshots.removeWhere(({ id }) => id >= 98)
  expect(snapshots.takeChanges()).toEqual({ added: [], removed: [98, 99] })
})

test('rows are read back, and those of an older version get rows', () => {
  const first = new Snapshots([], [])
  first.add(taken(3))
  const { added } = first.takeChanges()
  const second = new Snapshots(added, [
    { id: 4, number: 4, hash: `0x${'07'.repeat(32)}`, edit: 0, baseFee: '5' },
  ])
  expect(second.all()).toEqual([taken(3), taken(4)])
  expect(second.takeChanges().added.map(({ id }) => id)).toEqual([4])
})
