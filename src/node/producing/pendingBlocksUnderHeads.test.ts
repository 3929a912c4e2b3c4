import { describe, expect, test } from 'vitest'
import type { AppHead } from '../../app/appHead.ts'
import { type Header, headerHash } from '../../chain/block/header.ts'
import { noChanges } from '../../chain/state/mergeChanges.ts'
import { RevertWatch } from '../reverting/revertWatch.ts'
import { PendingBlocks, type PendingBlocksDependencies } from './pendingBlocks.ts'

const hash = new Uint8Array(32)
const header: Header = {
  parentHash: hash,
  ommersHash: hash,
  beneficiary: new Uint8Array(20),
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: new Uint8Array(256),
  difficulty: 0n,
  number: 1n,
  gasLimit: 0n,
  gasUsed: 0n,
  timestamp: 0n,
  extraData: new Uint8Array(0),
  mixHash: hash,
  nonce: new Uint8Array(8),
  baseFeePerGas: 0n,
  withdrawalsRoot: undefined,
  blobGasUsed: undefined,
  excessBlobGas: undefined,
  parentBeaconBlockRoot: undefined,
  requestsHash: undefined,
}

/** A chain whose heads and builds move in steps of a test. */
const createChain = (buildSteps: number) => {
  let height = 1
  let failure: Error | undefined
  const running = new Set<{ left: number; end: () => void; fail: (error: Error) => void }>()
  const counts = { started: 0, aborted: 0 }
  const head = () =>
    ({ header: { number: BigInt(height) }, hash: new Uint8Array(32).fill(height) }) as unknown as AppHead // what is read
  const preview = { header, hash: headerHash(header), included: [], receipts: [], changes: noChanges }
  const executor: PendingBlocksDependencies['executor'] = {
    buildPendingBlock: (_, __, ___, signal) => {
      counts.started++
      return new Promise((resolve, reject) => {
        const build = { left: buildSteps, end: () => resolve(preview), fail: reject }
        running.add(build)
        signal.addEventListener('abort', () => {
          counts.aborted++
          running.delete(build)
          reject(new Error('aborted'))
        })
      })
    },
  }
  const blocks = new PendingBlocks({
    executor,
    producer: {
      coinbase: new Uint8Array(20),
      nextTime: () => 0,
      propose: () => ({ attributes: {}, transactions: [] }),
    } as unknown as PendingBlocksDependencies['producer'], // what is read
    state: {
      reader: () => ({}),
      edits: () => noChanges,
      newestEdit: () => 0,
    } as unknown as PendingBlocksDependencies['state'], // nothing reads it
    head,
    reverts: new RevertWatch(),
    poolVersion: () => 0,
  })
  return {
    blocks,
    counts,
    moveHead: () => void height++,
    revertHead: () => void height--,
    failBuilds: (error: Error) => {
      failure = error
    },
    step: async (): Promise<void> => {
      for (const build of running) {
        if (--build.left > 0) continue
        running.delete(build)
        if (failure === undefined) build.end()
        else build.fail(failure)
      }
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

describe('pending blocks while heads come faster than a build ends', () => {
  test('every reader is answered after a few builds', async () => {
    const chain = createChain(5)
    const waits: number[] = []
    let asked = 0
    for (let step = 0; step < 200; step++) {
      if (step % 3 === 0) chain.moveHead()
      if (step < 150) {
        asked++
        void chain.blocks.get().then(() => waits.push(step))
      }
      await chain.step()
    }
    expect(waits).toHaveLength(asked)
    expect(chain.counts.aborted).toBeGreaterThan(0)
  })

  test('a build of an old head is given up once', async () => {
    const chain = createChain(5)
    const first = chain.blocks.get()
    chain.moveHead()
    const second = chain.blocks.get()
    await chain.step()
    expect(chain.counts).toEqual({ started: 2, aborted: 1 })
    chain.moveHead()
    const third = chain.blocks.get()
    for (let step = 0; step < 5; step++) await chain.step()
    expect((await first).parent).toBe(2)
    for (let step = 0; step < 5; step++) await chain.step()
    expect((await second).parent).toBe(3)
    expect((await third).parent).toBe(3)
    expect(chain.counts).toEqual({ started: 3, aborted: 1 })
  })

  test('a build that was given up is begun again when its head is back', async () => {
    const chain = createChain(2)
    const first = chain.blocks.get()
    chain.moveHead()
    const second = chain.blocks.get()
    chain.revertHead()
    for (let step = 0; step < 6; step++) await chain.step()
    expect((await first).parent).toBe(1)
    expect((await second).parent).toBe(1)
  })

  test('builds that fail are not tried forever', async () => {
    const chain = createChain(2)
    chain.failBuilds(new Error('no such state'))
    const failed = chain.blocks.get().then(
      () => 'built',
      (error: Error) => error.message,
    )
    for (let step = 0; step < 10; step++) {
      chain.moveHead()
      await chain.step()
    }
    expect(await failed).toBe('no such state')
    expect(chain.counts.started).toBe(2)
  })
})
