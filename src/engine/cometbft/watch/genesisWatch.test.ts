import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GenesisWatch } from './genesisWatch.ts'

let height: number
let peers: number
let said: string[]
let warned: string[]
let watch: GenesisWatch
const network =
  'incompatible: peer is on a different network. Got perihelion_7-1, expected perihelion_8-1' as const
const block = `wrong Block.Header.AppHash.  Expected ${'A'.repeat(64)}, got ${'B'.repeat(64)}`

beforeEach(() => {
  vi.useFakeTimers()
  height = 0
  peers = 0
  said = []
  warned = []
  watch = new GenesisWatch(
    { graceMs: 5_000 },
    {
      persistentPeers: ['aa', 'bb'],
      height: () => height,
      peerCount: async () => peers,
      onStranger: (text) => warned.push(text),
      onForeign: (reason) => said.push(reason),
    },
  )
})
afterEach(() => {
  watch.close()
  vi.useRealTimers()
})
/** What CometBFT writes of peers of another chain: of the first attempts without their names. */
const dial = (...ids: readonly string[]): void => {
  watch.onMessage('Error dialing peer', network, 'undefined')
  for (const id of ids)
    watch.onMessage('Error reconnecting to peer. Trying again', network, `${id}@10.0.0.1:26656`)
}
const pass = (): Promise<unknown> => vi.advanceTimersByTimeAsync(5_000)

test('peers of another chain are reported by its name, once', async () => {
  dial('aa', 'bb')
  dial('aa', 'bb')
  await pass()
  expect(said).toEqual([
    expect.stringMatching(/of the chain perihelion_7-1, and this home of perihelion_8-1/),
  ])
  expect(warned).toEqual(['a peer is of the chain perihelion_7-1, and this home of perihelion_8-1'])
})

test('while one of those that the operator named has not said so, a warning is all', async () => {
  dial('aa', 'cc')
  watch.onMessage(
    'Error reconnecting to peer. Trying again',
    'dial tcp 10.0.0.2:26656: connect: connection refused',
    'bb@10.0.0.2:26656',
  )
  await pass()
  expect(said).toEqual([])
  expect(warned).toHaveLength(1)
  // It comes up, and is of the other chain too.
  dial('bb')
  await pass()
  expect(said).toHaveLength(1)
})

test('peers that nobody named end nothing', async () => {
  const dependencies = { height: () => 0, peerCount: async () => 0, onForeign: () => said.push('') }
  watch = new GenesisWatch(
    { graceMs: 5_000 },
    { ...dependencies, persistentPeers: [], onStranger: () => warned.push('') },
  )
  dial('aa')
  await pass()
  expect({ said, warned }).toEqual({ said: [], warned: [''] })
})

test('peers of another genesis are reported by its block, also while they are connected', async () => {
  peers = 3
  watch.onMessage('Error in validation', block, '')
  await pass()
  expect(said).toEqual([
    expect.stringMatching(/begins with block 0xb{64}, and that of this home with 0xa{64}/),
  ])
})

test('one peer of another chain among others of this one ends nothing', async () => {
  peers = 1
  dial('aa', 'bb')
  await pass()
  expect(said).toEqual([])
  peers = 0
  dial('aa', 'bb')
  await pass()
  expect(said).toHaveLength(1)
})

test('a chain that goes on is the right one', async () => {
  watch.onMessage('Error in validation', block, '')
  height = 1
  await pass()
  watch.onMessage('Error in validation', block, '')
  dial('aa', 'bb')
  await pass()
  expect(said).toEqual([])
})

test('strangers that dial this node say nothing of its chain', async () => {
  watch.onMessage('Inbound Peer rejected', network, 'aa@10.0.0.1:26656')
  watch.onMessage('Error dialing peer', 'dial tcp 10.0.0.1:26656: connect: connection refused', '')
  await pass()
  expect(said).toEqual([])
})
