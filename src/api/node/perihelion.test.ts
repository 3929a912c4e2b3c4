import { expect, test } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import { version } from '../../base/version.ts'
import { createDevGenesis } from '../../chain/genesis/devGenesis.ts'
import type { PoolTransaction, RefusedTransaction } from '../../chain/port/pool.ts'

const genesis = createDevGenesis({
  chainId: 7n,
  accounts: [],
  coinbase: new Uint8Array(20),
  timestamp: 1_000n,
  fork: 'prague',
})

const refusal: RefusedTransaction = {
  hash: new Uint8Array(32).fill(7),
  sender: new Uint8Array(20).fill(5),
  nonce: 9n,
  reason: 'exceeds block gas limit',
  isGivenUp: true,
}

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
      unknownForks: [{ name: 'amsterdam', time: 3_000n, version: '9.8.7' }],
      inapplicableForks: [{ name: 'bpo1', time: 2_500n, version: '', problem: 'no blobs' }],
      forkVersions: new Map([
        ['osaka', '1.2.3'],
        ['amsterdam', '9.8.7'],
      ]),
    },
    blocks: { header: () => ({ ...genesis.header(new Uint8Array(32)), number: 3n, timestamp: 1_500n }) },
    trust: () => ({
      isVerified: true,
      stateProofs: { problem: 'no proof of the store bank' },
      lies: [{ time: 5, kind: 'bad signature', block: 2, problem: 'block 2: nobody signed it' }],
    }),
    pool: { refusals: () => [refusal] },
    network: {
      syncing: () => {
        if (engine === 'fails') throw new Error('no response')
        if (engine === 'hangs') return new Promise(() => {})
        return { startingBlock: 0, currentBlock: 3, highestBlock: 10 }
      },
      self: () => {
        if (engine === 'fails') throw new Error('no response')
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
      { name: 'osaka', at: '0x7d0', by: 'time', known: true, version: '1.2.3', problem: null },
      { name: 'bpo1', at: '0x9c4', by: 'time', known: true, version: null, problem: 'no blobs' },
      { name: 'amsterdam', at: '0xbb8', by: 'time', known: false, version: '9.8.7', problem: null },
    ],
    versions: { perihelion: version, node: process.versions.node, engine: '0.38.17' },
    modified: false,
    refused: [
      {
        hash: `0x${'07'.repeat(32)}`,
        from: `0x${'05'.repeat(20)}`,
        nonce: '0x9',
        reason: 'exceeds block gas limit',
        givenUp: true,
      },
    ],
    verified: true,
    verifiedState: true,
    stateProblem: 'no proof of the store bank',
    lies: [{ time: '0x5', kind: 'bad signature', block: '0x2', problem: 'block 2: nobody signed it' }],
  })
})

test('txpool_inspect tells why the chain rejects what waits', async () => {
  const transaction = {
    to: new Uint8Array(20),
    value: 1n,
    gasLimit: 21_000n,
    type: 0,
    gasPrice: 2n,
    nonce: 9n,
  }
  const pooled = { hash: refusal.hash, sender: refusal.sender, transaction } as unknown as PoolTransaction
  const chain = fakeChain({
    pool: {
      content: () => ({ pending: new Map([['', [pooled]]]), queued: new Map() }),
      refusals: () => [{ ...refusal, isGivenUp: false }],
    },
  })
  expect(JSON.stringify(await callApi('txpool_inspect', [], { chain }))).toContain(
    '1 wei + 21000 gas × 2 wei (rejected: exceeds block gas limit)',
  )
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
