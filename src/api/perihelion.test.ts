import { expect, test } from 'vitest'
import { callApi } from '../../test/support/callApi.ts'
import { fakeChain } from '../../test/support/fakeChain.ts'
import { version } from '../base/version.ts'
import { createDevGenesis } from '../chain/genesis/devGenesis.ts'

const genesis = createDevGenesis({
  chainId: 7n,
  accounts: [],
  coinbase: new Uint8Array(20),
  timestamp: 1_000n,
  fork: 'prague',
})

const chainWith = (engine: 'answers' | 'fails' | 'hangs') =>
  fakeChain({
    mode: 'cometbft',
    head: () => ({ number: 3, hash: new Uint8Array(32), time: 1_500 }),
    config: {
      ...genesis.config,
      activations: [
        ...genesis.config.activations,
        { name: 'osaka', fork: 'osaka', by: 'time', at: 2_000n, blobs: undefined },
      ],
      unknownForks: [
        { name: 'amsterdam', time: 3_000n, version: '9.8.7' },
        { name: 'bpo1', time: 4_000n, version: '', problem: 'no blobs' },
      ],
    },
    blocks: { header: () => ({ ...genesis.header(new Uint8Array(32)), number: 3n, timestamp: 1_500n }) },
    network: {
      syncing: () => {
        if (engine === 'fails') throw new Error('no answer')
        if (engine === 'hangs') return new Promise(() => {})
        return { startingBlock: 0, currentBlock: 3, highestBlock: 10 }
      },
      self: () => {
        if (engine === 'fails') throw new Error('no answer')
        if (engine === 'hangs') return new Promise(() => {})
        return { id: '', name: '', address: '', version: '0.38.17' }
      },
    },
  })

test('perihelion_status tells mode, height, lag, forks ahead and versions', async () => {
  expect(await callApi('perihelion_status', [], { chain: chainWith('answers') })).toEqual({
    mode: 'cometbft',
    height: '0x3',
    time: '0x5dc',
    lag: { blocks: '0x7', seconds: expect.stringMatching(/^0x/) },
    fork: 'prague',
    forks: [
      { name: 'osaka', at: '0x7d0', by: 'time', known: true, version: null, problem: null },
      { name: 'amsterdam', at: '0xbb8', by: 'time', known: false, version: '9.8.7', problem: null },
      { name: 'bpo1', at: '0xfa0', by: 'time', known: false, version: null, problem: 'no blobs' },
    ],
    versions: { perihelion: version, node: process.versions.node, engine: '0.38.17' },
    modified: false,
  })
})

test.each(['fails', 'hangs'] as const)(
  'perihelion_status does not wait for an engine that %s',
  async (engine) => {
    expect(await callApi('perihelion_status', [], { chain: chainWith(engine) })).toMatchObject({
      lag: { blocks: null },
      versions: { engine: null },
    })
  },
)
