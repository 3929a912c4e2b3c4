import { expect, test } from 'vitest'
import { releaseSpoolSpace, SpoolRoom, takeSpoolSpace } from './spoolRoom.ts'

const megabyte = 1 << 20

test('a trace whose worker still writes when it was given up gets no more space', () => {
  const room = new SpoolRoom({ maxBytes: 30 * megabyte, minFreeBytes: 0 })
  const file = room.open('trace')
  takeSpoolSpace(file, 10 * megabyte)
  expect(room.usedBytes).toBe(10 * megabyte)
  releaseSpoolSpace(file)
  expect(() => takeSpoolSpace(file, 11 * megabyte)).toThrow('given up')
  expect(room.usedBytes).toBe(0)
  releaseSpoolSpace(file)
  expect(room.usedBytes).toBe(0)
})

test('a trace as large as all of them may be has room, if that is not a whole number of megabytes too', () => {
  const room = new SpoolRoom({ maxBytes: 1_500_000, minFreeBytes: 0 })
  takeSpoolSpace(room.open('trace'), 1_500_000)
  expect(() => takeSpoolSpace(room.open('trace'), 1)).toThrow('json-rpc.trace-spool')
})
