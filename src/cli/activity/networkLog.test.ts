import { expect, test } from 'vitest'
import { NetworkLog } from './networkLog.ts'

test('reports peers and validators that come and go', async () => {
  const lines: unknown[] = []
  const log = { info: (members: object, message?: string) => void lines.push([message, members]) }
  const peerOf = (id: string) => ({ id, name: `n${id}`, address: `h${id}:1`, version: '1', isInbound: false })
  const validator = (byte: number, power: bigint) => ({ engineAddress: new Uint8Array(2).fill(byte), power })
  let peers = [peerOf('a')]
  let validators = [validator(1, 10n), validator(2, 10n)]
  let sync: object | undefined
  const chain = {
    mode: 'cometbft',
    head: () => ({ number: 4 }),
    network: {
      syncing: async () => sync,
      peers: async () => peers,
      validatorSet: async (number: number) => (number === 5 ? validators : []),
    },
  }
  // What it reads and writes.
  const network = new NetworkLog({ chain: chain as never, log: log as never, pollMs: 1e6 })
  await new Promise(setImmediate)
  expect(lines.splice(0)).toEqual([['a peer joined', { id: 'a', name: 'na', address: 'ha:1', peers: 1 }]])
  peers = [peerOf('b')]
  validators = [validator(1, 20n), validator(3, 5n)]
  await network.poll()
  expect(lines.splice(0).map((line) => (line as [string])[0])).toEqual([
    'a peer joined',
    'a peer left',
    'the power of a validator changed',
    'a validator joined',
    'a validator left',
  ])
  expect(network.isBehind).toBe(false)
  sync = { startingBlock: 0, currentBlock: 1, highestBlock: 9 }
  await network.poll()
  expect(network.isBehind).toBe(true)
  expect(lines).toEqual([])
  network.close()
})
