import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { emptyCodeHash, type StateChanges } from '../../src/chain/state/evmState.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { createRandom } from '../../test/support/random.ts'
import { median } from '../support/load/percentile.ts'
import { ownSide, perUnit, type Timing, timed } from '../support/run/inProcess.ts'
import type { RunOptions } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'

const random = createRandom(7)

const changesTo = (addresses: readonly Uint8Array[]): StateChanges => ({
  code: [],
  accounts: addresses.map((address) => ({
    address,
    account: {
      nonce: BigInt(random.below(1000)),
      balance: 10n ** 18n + BigInt(random.below(1e9)),
      codeHash: emptyCodeHash,
    },
    storageCleared: false,
    storage: [],
  })),
})

const perCommit = 50_000
const addressBytes = 20

/** Returns the bytes that this process has handed to the kernel to be written; 0 where the system does not tell. */
const writtenBytes = (): number => {
  try {
    return Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'latin1'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

interface CommittedBlocks extends Timing {
  /** The size of the keys and values of a block. */
  readonly bytes: number
  /** The bytes that were written to the disk for a block: whole pages. */
  readonly written: number
}

/** A state of so many accounts. */
class FilledState {
  /** One after the other: a million objects would be the collector's work, and be measured with the state's. */
  readonly #addresses: Uint8Array
  readonly #count: number
  readonly #environment: LmdbEnvironment
  readonly #store: StateStore

  private constructor(folder: string, count: number) {
    this.#count = count
    this.#addresses = new Uint8Array(count * addressBytes)
    for (let i = 0; i < count; i++) this.#addresses.set(random.bytes(addressBytes), i * addressBytes)
    this.#environment = new LmdbEnvironment({ path: join(folder, `${count}.mdb`) })
    this.#store = new StateStore(this.#environment)
  }

  static async create(folder: string, count: number): Promise<FilledState> {
    const state = new FilledState(folder, count)
    for (let at = 0; at < count; at += perCommit) {
      const addresses = Array.from({ length: Math.min(perCommit, count - at) }, (_, i) =>
        state.#address(at + i),
      )
      await state.#store.commit(state.#next, changesTo(addresses))
    }
    return state
  }

  get head(): number {
    return this.#next - 1
  }

  get #next(): number {
    return (this.#store.head?.height ?? -1) + 1
  }

  /** Commits blocks of so many changed accounts, roots included; returns the median, and the bytes of a block. */
  async commitBlocks(changes: number, times: number): Promise<CommittedBlocks> {
    const timings: Timing[] = []
    let bytes = 0
    const before = writtenBytes()
    for (let round = 0; round < times; round++) {
      const chosen = new Set<number>()
      while (chosen.size < changes) chosen.add(random.below(this.#count))
      const block = changesTo([...chosen].map((index) => this.#address(index)))
      timings.push(
        await timed(async () => {
          const prepared = this.#store.prepare(this.#next, block)
          await this.#environment.transact(prepared.write)
          bytes = prepared.bytes
        }),
      )
    }
    return {
      wallMs: median(timings.map(({ wallMs }) => wallMs)),
      cpuMs: median(timings.map(({ cpuMs }) => cpuMs)),
      bytes,
      written: (writtenBytes() - before) / times,
    }
  }

  readAccounts(height: number, count: number): Promise<Timing> {
    const reader = this.#store.reader(height)
    const chosen = Array.from({ length: count }, () => this.#address(random.below(this.#count)))
    return timed(() => chosen.reduce((sum, address) => sum + (reader.account(address)?.nonce ?? 0n), 0n))
  }

  close(): Promise<void> {
    return this.#environment.close()
  }

  #address(index: number): Uint8Array {
    return this.#addresses.slice(index * addressBytes, (index + 1) * addressBytes)
  }
}

interface StateStage {
  readonly folder: string
  readonly small: FilledState
  readonly medium: FilledState
  readonly large: FilledState
}

const smallCount = 10_000
const largeCount = ({ isQuick, accounts }: RunOptions): number => accounts ?? (isQuick ? 50_000 : 1_000_000)
/** Between the two by as many times. */
const mediumCount = (large: number): number => Math.round(Math.sqrt(smallCount * large))
const name = (count: number): string => count.toLocaleString('en')

const describeWrites = ({ bytes, written }: CommittedBlocks, changes: number): string =>
  `${Math.round(bytes / changes)} bytes of rows and ${Math.round(written / changes)} of pages for a changed account, ${(written / bytes).toFixed(1)} ×`

/** The state at size: commits, reads, and how both grow. */
export const part = definePart<StateStage>({
  sides: (options) => [
    ownSide(
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-state-'))
        const small = await FilledState.create(folder, smallCount)
        const medium = await FilledState.create(folder, mediumCount(largeCount(options)))
        const large = await FilledState.create(folder, largeCount(options))
        return { folder, small, medium, large }
      },
      async ({ folder, small, medium, large }) => {
        for (const state of [small, medium, large]) await state.close()
        rmSync(folder, { recursive: true })
      },
    ),
  ],
  rows: (options) => {
    const { isQuick } = options
    const most = largeCount(options)
    const size = name(most)
    const rounds = isQuick ? 3 : 40
    const reads = isQuick ? 20_000 : 300_000
    const read = (name: string, heightOf: (large: FilledState) => number) => ({
      name: `account read at ${name}, ${size} accounts`,
      unit: 'read',
      by: 'cpuMicros' as const,
      measure: async ({ large }: StateStage) => {
        await large.readAccounts(heightOf(large), reads / 10)
        return perUnit(await large.readAccounts(heightOf(large), reads), reads)
      },
    })
    return [
      {
        name: `changed accounts, root and commit included, ${size} accounts`,
        unit: 'account',
        by: 'rate',
        measure: async ({ large }) => {
          const changes = isQuick ? 2_000 : 20_000
          await large.commitBlocks(changes, 2)
          const timing = await large.commitBlocks(changes, isQuick ? 2 : 10)
          const { figures } = perUnit(timing, changes)
          return {
            figures: { ...figures, bytes: timing.bytes / changes },
            note: describeWrites(timing, changes),
          }
        },
      },
      read('the head', ({ head }) => head),
      read('an old height', ({ head }) => head - 2),
      {
        name: `account read at the head, ${name(smallCount)} → ${size} accounts`,
        unit: 'growth',
        by: 'times',
        measure: async ({ small, large }) => {
          for (const state of [small, large]) await state.readAccounts(state.head, reads / 10)
          const few = await small.readAccounts(small.head, reads)
          const many = await large.readAccounts(large.head, reads)
          return { figures: { times: many.cpuMs / few.cpuMs, cpuMicros: (many.cpuMs * 1000) / reads } }
        },
      },
      {
        name: `a block of 1,000 changes, ${name(smallCount)} → ${size} accounts`,
        unit: 'growth',
        by: 'times',
        measure: async ({ small, medium, large }) => {
          for (const state of [small, medium, large]) await state.commitBlocks(1_000, Math.ceil(rounds / 4))
          const few = await small.commitBlocks(1_000, rounds)
          const more = await medium.commitBlocks(1_000, rounds)
          const many = await large.commitBlocks(1_000, rounds)
          // By the slope over the logarithm, since a trie and a B-tree are as deep as that.
          const slope = (many.cpuMs - more.cpuMs) / Math.log10(most / mediumCount(most))
          const cpu = [few, more, many].map(({ cpuMs }) => cpuMs.toFixed(1)).join(' → ')
          return {
            figures: {
              ...{ times: many.wallMs / few.wallMs, ms: many.wallMs, cpuMs: many.cpuMs },
              bytes: many.bytes / 1_000,
            },
            note: `${few.wallMs.toFixed(1)} → ${many.wallMs.toFixed(1)} ms; CPU ${cpu} ms (${name(mediumCount(most))} between), ${(many.cpuMs / few.cpuMs).toFixed(2)} ×; ${name(most * 10)} accounts by the slope: ${(many.cpuMs + slope).toFixed(0)} ms; ${describeWrites(many, 1_000)}`,
          }
        },
      },
    ]
  },
})
