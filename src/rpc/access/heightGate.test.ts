import { expect, test } from 'vitest'
import { HeightGate } from './heightGate.ts'

const gateAt = (height: number) => {
  const chain = { number: height, onHead: (): void => undefined }
  const gate = new HeightGate(
    {
      current: () => chain.number,
      onHead: (listener) => {
        chain.onHead = listener
        return () => undefined
      },
    },
    { minHeightWait: 60_000, httpTimeout: 60_000 },
  )
  return { chain, gate }
}

test('one client does not take all of the places in which requests wait', async () => {
  const { chain, gate } = gateAt(7)
  const ask = (count: number, client: string) => Array.from({ length: count }, () => gate.waitFor(8, client))
  const greedy = ask(2_000, 'one')
  const modest = [...ask(1, 'two'), ...ask(200, 'three'), ...ask(50, 'four')]
  chain.number = 8
  chain.onHead()
  const waited = (await Promise.all(greedy)).filter(Boolean).length
  expect(waited).toBe(512)
  expect(await Promise.all(modest)).toEqual(modest.map(() => true))
  gate.close()
})

test('a place is free again when its request has waited, and heights far above are not waited for', async () => {
  const { chain, gate } = gateAt(7)
  for (let round = 0; round < 3; round++) {
    const asked = Array.from({ length: 512 }, () => gate.waitFor(chain.number + 1, 'one'))
    chain.number++
    chain.onHead()
    expect(new Set(await Promise.all(asked))).toEqual(new Set([true]))
  }
  expect(await gate.waitFor(chain.number + 257, 'one')).toBe(false)
  gate.close()
})

test('nothing is waited for any more once it is closed', async () => {
  const { gate } = gateAt(7)
  const waiting = gate.waitFor(8, 'one')
  gate.close()
  expect(await waiting).toBe(false)
  expect(await gate.waitFor(8, 'one')).toBe(false)
})
