import { expect, test } from 'vitest'
import { networkHeight, PeerHeights } from './peerHeights.ts'

const stateOf = (...peerHeights: readonly number[]) => ({ height: 1, step: 1, peerHeights })

test('the network is as high as a third of the peers say', () => {
  expect(networkHeight(stateOf())).toBe(0)
  expect(networkHeight(stateOf(8))).toBe(7)
  expect(networkHeight(stateOf(8, 9, 3))).toBe(8)
  // One of four cannot move it.
  expect(networkHeight(stateOf(8, 900000, 9, 7))).toBe(8)
  expect(networkHeight(stateOf(0, 5))).toBe(4)
})

test('a response is used for a second, and longer while the engine gives no other', async () => {
  let at = 0
  let asked = 0
  let answer = async () => stateOf(11)
  const heights = new PeerHeights({
    rpc: {
      consensusState: () => {
        asked++
        return answer()
      },
    },
    now: () => at,
  })
  expect(await heights.height()).toBe(10)
  at = 900
  expect(await heights.height()).toBe(10)
  expect(asked).toBe(1)
  let give: (state: ReturnType<typeof stateOf>) => void = () => {}
  answer = () =>
    new Promise((resolve) => {
      give = resolve
    })
  at = 2_000
  expect(await heights.height()).toBe(10)
  expect(await heights.height()).toBe(10)
  expect(asked).toBe(2)
  give(stateOf(21))
  await new Promise(setImmediate)
  expect(await heights.height()).toBe(20)
  answer = async () => {
    throw new Error('gone')
  }
  at = 60_000
  expect(await heights.height()).toBe(0)
})
