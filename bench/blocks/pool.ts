import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { TransactionSubmitter } from '../../src/pool/admission/transactionSubmitter.ts'
import { Journal } from '../../src/pool/journal.ts'
import {
  defaultRecoverySettings,
  type RecoverySettings,
  SenderRecovery,
} from '../../src/pool/recovery/senderRecovery.ts'
import { ownSide, perUnit, timed } from '../support/run/inProcess.ts'
import type { Measured, Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import {
  createPool,
  makePoolLoad,
  type PoolLoad,
  read,
  selectLimits,
  signersOf,
  withNonces,
} from './poolLoad.ts'

const perBlock = 5_000

const addAll = (load: PoolLoad, pool: ReturnType<typeof createPool>, isRaw: boolean): number => {
  let refused = 0
  for (const [index, submission] of load.submissions.entries()) {
    const one = isRaw ? read(load.raws[index] as Uint8Array) : submission
    if (pool.add(one, signersOf(load, index), false).rejection) refused++
  }
  return refused
}

const fullPool = (load: PoolLoad) => {
  const pool = createPool(load)
  if (addAll(load, pool, false) > 0) throw new Error('a transaction was rejected')
  return pool
}

const row = (name: string, measure: (load: PoolLoad) => Promise<Measured>): Row<PoolLoad> => ({
  name,
  unit: 'transaction',
  by: 'cpuMicros',
  measure,
})

const poolRows: readonly Row<PoolLoad>[] = [
  row('decode and hash', async ({ raws }) => perUnit(await timed(() => raws.forEach(read)), raws.length)),
  row('add, decoded and recovered before', async (load) => {
    const pool = createPool(load)
    return perUnit(await timed(() => addAll(load, pool, false)), load.raws.length)
  }),
  row('add raw, recovered before', async (load) => {
    const pool = createPool(load)
    return perUnit(await timed(() => addAll(load, pool, true)), load.raws.length)
  }),
  row('add to a pool of 5,120 + 1,024, mostly full', async (load) => {
    const pool = createPool(load, { globalSlots: 5_120, globalQueue: 1_024 })
    let refused = 0
    const timing = await timed(() => {
      refused = addAll(load, pool, false)
    })
    return perUnit(timing, load.raws.length, `${refused} rejected, ${pool.counts.pending} pending`)
  }),
  row(`select ${perBlock.toLocaleString('en')}`, async (load) => {
    const pool = fullPool(load)
    let count = 0
    const select = (): void => {
      count = [...pool.select(selectLimits(perBlock))].length
    }
    select()
    return perUnit(await timed(select), count)
  }),
  row('a head with those', async (load) => {
    const pool = fullPool(load)
    const included = [...pool.select(selectLimits(perBlock))]
    const timing = await withNonces(load, included, (head) =>
      timed(() =>
        pool.onHead(head, {
          included: included.map(({ hash }) => hash),
          changed: included.map(({ sender }) => sender),
        }),
      ),
    )
    return perUnit(timing, included.length)
  }),
]

/** `width` transactions are under way at any time, as that many connections would have. */
const submitAll = async (
  { raws }: PoolLoad,
  intake: TransactionSubmitter,
  { width, count, isLocal }: { width: number; count: number; isLocal: boolean },
): Promise<string> => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let next = 0
  const client = async (): Promise<void> => {
    while (next < count) {
      const { rejection } = await intake.submit(raws[next++] as Uint8Array, isLocal)
      if (rejection) throw new Error(rejection.message)
    }
  }
  await Promise.all(Array.from({ length: width }, client))
  delay.disable()
  return `event loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, max ${(delay.max / 1e6).toFixed(1)} ms`
}

const onJournalError = (error: unknown): void => {
  throw error
}

/** Submissions to a pool of their own, after a warm-up with the same recovery. */
const submitRow = (
  name: string,
  settings: Partial<RecoverySettings>,
  { width, most }: { readonly width: number; readonly most: number },
): Row<PoolLoad> =>
  row(name, async (load) => {
    const recovery = new SenderRecovery({ ...defaultRecoverySettings, ...settings })
    const createSubmitter = () =>
      new TransactionSubmitter({ pool: createPool(load), recovery, journal: undefined, onJournalError })
    const count = Math.min(load.raws.length, most)
    const warmUp = { width: 64, count: Math.min(512, count), isLocal: false }
    await submitAll(load, createSubmitter(), warmUp)
    const submitter = createSubmitter()
    let note = ''
    const timing = await timed(async () => {
      note = await submitAll(load, submitter, { width, count, isLocal: false })
    })
    await recovery.close()
    return perUnit(timing, count, note)
  })

/** Submits with a journal, then restores from it; what the work returns is measured. */
const journalRow = (name: string, isRestored: boolean): Row<PoolLoad> =>
  row(name, async (load) => {
    const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-pool-'))
    const open = () =>
      new TransactionSubmitter({
        pool: createPool(load),
        recovery: new SenderRecovery(),
        journal: new Journal(folder),
        onJournalError,
      })
    const count = Math.min(load.raws.length, 20_000)
    const first = open()
    const submitted = await timed(() => submitAll(load, first, { width: 1_000, count, isLocal: true }))
    await first.close()
    const second = open()
    let restored = 0
    const read = await timed(async () => {
      restored = (await second.restore()).restored
    })
    await second.close()
    rmSync(folder, { recursive: true })
    return isRestored ? perUnit(read, restored) : perUnit(submitted, count)
  })

/** The pool without a server: adding, selecting and dropping. */
export const part = definePart<PoolLoad>({
  sides: ({ isQuick }) => [ownSide(() => makePoolLoad(isQuick ? 6_000 : 100_000, 1_000))],
  rows: () => [
    ...poolRows,
    submitRow(
      'submit, recovery on 1 thread, 1,000 under way',
      { threads: 1 },
      { width: 1_000, most: 20_000 },
    ),
    submitRow(
      'submit, recovery on 2 threads, 1,000 under way',
      { threads: 2 },
      { width: 1_000, most: 20_000 },
    ),
    submitRow(
      'submit one after the other, recovered on the thread',
      { maxInline: 0 },
      { width: 1, most: 2_000 },
    ),
    submitRow('submit one after the other, recovered in place', { maxInline: 1 }, { width: 1, most: 2_000 }),
    journalRow('submit with recovery and journal, 1,000 under way', false),
    journalRow('restore from the journal', true),
  ],
})
