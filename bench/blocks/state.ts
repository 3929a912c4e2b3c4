import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LmdbEnvironment } from '../../src/base/lmdb.ts'
import { emptyCodeHash, type StateChanges } from '../../src/chain/state/evmState.ts'
import { StateStore } from '../../src/state/store.ts'
import { createRandom } from '../../test/support/random.ts'
import { median } from '../support/load/percentile.ts'
import { ownSide, perUnit, type Timing, timed } from '../support/run/inProcess.ts'
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

/** A state of so many accounts. */
class FilledState {
  readonly #addresses: readonly Uint8Array[]
  readonly #environment: LmdbEnvironment
  readonly #store: StateStore

  private constructor(folder: string, count: number) {
    this.#addresses = Array.from({ length: count }, () => random.bytes(20))
    this.#environment = new LmdbEnvironment({ path: join(folder, `${count}.mdb`) })
    this.#store = new StateStore(this.#environment)
  }

  static async create(folder: string, count: number): Promise<FilledState> {
    const state = new FilledState(folder, count)
    for (let at = 0; at < count; at += perCommit)
      await state.#store.commit(state.#next, changesTo(state.#addresses.slice(at, at + perCommit)))
    return state
  }

  get head(): number {
    return this.#next - 1
  }

  get #next(): number {
    return (this.#store.head?.height ?? -1) + 1
  }

  /** Commits blocks of so many changed accounts, roots included; returns the median and the bytes of a block. */
  async commitBlocks(changes: number, times: number): Promise<Timing & { readonly bytes: number }> {
    const timings: Timing[] = []
    let bytes = 0
    for (let round = 0; round < times; round++) {
      const chosen = new Set<Uint8Array>()
      while (chosen.size < changes) chosen.add(this.#pick())
      const block = changesTo([...chosen])
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
    }
  }

  readAccounts(height: number, count: number): Promise<Timing> {
    const reader = this.#store.reader(height)
    const chosen = Array.from({ length: count }, () => this.#pick())
    return timed(() => chosen.reduce((sum, address) => sum + (reader.account(address)?.nonce ?? 0n), 0n))
  }

  close(): Promise<void> {
    return this.#environment.close()
  }

  #pick(): Uint8Array {
    return this.#addresses[random.below(this.#addresses.length)] as Uint8Array
  }
}

interface StateStage {
  readonly folder: string
  readonly small: FilledState
  readonly large: FilledState
}

const smallCount = 10_000

/** The state at size: commits, reads, and how both grow. */
export const part = definePart<StateStage>({
  sides: ({ isQuick }) => [
    ownSide(
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-state-'))
        const small = await FilledState.create(folder, smallCount)
        const large = await FilledState.create(folder, isQuick ? 50_000 : 1_000_000)
        return { folder, small, large }
      },
      async ({ folder, small, large }) => {
        await small.close()
        await large.close()
        rmSync(folder, { recursive: true })
      },
    ),
  ],
  rows: ({ isQuick }) => {
    const size = isQuick ? '50,000' : '1,000,000'
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
          return { figures: { ...figures, bytes: timing.bytes / changes } }
        },
      },
      read('the head', ({ head }) => head),
      read('an old height', ({ head }) => head - 2),
      {
        name: `a block of 1,000 changes, ${smallCount.toLocaleString('en')} → ${size} accounts`,
        unit: 'growth',
        by: 'times',
        measure: async ({ small, large }) => {
          for (const state of [small, large]) await state.commitBlocks(1_000, Math.ceil(rounds / 4))
          const [few, many] = [
            await small.commitBlocks(1_000, rounds),
            await large.commitBlocks(1_000, rounds),
          ]
          return {
            figures: { times: many.wallMs / few.wallMs, ms: many.wallMs, cpuMs: many.cpuMs },
            note: `${few.wallMs.toFixed(1)} → ${many.wallMs.toFixed(1)} ms; by CPU ${(many.cpuMs / few.cpuMs).toFixed(2)} ×`,
          }
        },
      },
    ]
  },
})
