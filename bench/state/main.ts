import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LmdbEnvironment } from '../../src/base/lmdb.ts'
import { emptyCodeHash, type WorldChanges } from '../../src/chain/state/world.ts'
import { StateStore } from '../../src/state/store.ts'
import { createRandom } from '../../test/support/random.ts'
import { median } from '../support/median.ts'

/**
 * The state at size: `npm run bench -- state [accounts] [batches]`. Wall time is what the targets speak of; processor
 * time is what survives a busy machine.
 */
const accounts = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.argv[3] ?? 10)
const directory = mkdtempSync(join(tmpdir(), 'perihelion-bench-'))
const random = createRandom(7)

interface Timing {
  readonly wall: number
  readonly cpu: number
}

const timed = async (work: () => Promise<unknown> | unknown): Promise<Timing> => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await work()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { wall, cpu: (user + system) / 1000 }
}

const print = (line: string): void => console.log(line)

const changesTo = (addresses: readonly Uint8Array[]): WorldChanges => ({
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

class Bench {
  readonly addresses: Uint8Array[]
  readonly environment: LmdbEnvironment
  readonly store: StateStore
  readonly path: string

  constructor(count: number) {
    this.addresses = Array.from({ length: count }, () => random.bytes(20))
    this.path = join(directory, `${count}.mdb`)
    this.environment = new LmdbEnvironment({ path: this.path })
    this.store = new StateStore(this.environment)
  }

  get next(): number {
    return (this.store.head?.height ?? -1) + 1
  }

  async fill(): Promise<void> {
    const { wall } = await timed(async () => {
      for (let i = 0; i < this.addresses.length; i += 50_000) {
        await this.store.commit(this.next, changesTo(this.addresses.slice(i, i + 50_000)))
      }
    })
    const size = (statSync(this.path).size / 2 ** 20).toFixed(0)
    print(`${this.addresses.length} accounts made in ${(wall / 1000).toFixed(1)} s, ${size} MB`)
  }

  randomChanges(count: number): WorldChanges {
    const chosen = new Set<Uint8Array>()
    while (chosen.size < count) chosen.add(this.addresses[random.below(this.addresses.length)] as Uint8Array)
    return changesTo([...chosen])
  }

  /** Median wall and processor time of blocks of so many changes, root included. */
  async blocks(changes: number, times: number): Promise<Timing & { bytes: number; best: number }> {
    const timings: Timing[] = []
    let bytes = 0
    for (let i = 0; i < times; i++) {
      const block = this.randomChanges(changes)
      timings.push(
        await timed(async () => {
          const prepared = this.store.prepare(this.next, block)
          await this.environment.transact(prepared.write)
          bytes = prepared.bytes
        }),
      )
    }
    const walls = timings.map(({ wall }) => wall)
    return {
      wall: median(walls),
      best: Math.min(...walls),
      cpu: median(timings.map(({ cpu }) => cpu)),
      bytes,
    }
  }

  async reads(height: number): Promise<Timing> {
    const reader = this.store.reader(height)
    const count = 300_000
    const chosen = Array.from(
      { length: count },
      () => this.addresses[random.below(this.addresses.length)] as Uint8Array,
    )
    const { wall, cpu } = await timed(() => {
      let sum = 0n
      for (const address of chosen) sum += reader.account(address)?.nonce ?? 0n
      return sum
    })
    return { wall: (wall / count) * 1000, cpu: (cpu / count) * 1000 }
  }
}

const load = (): string => loadavg()[0]?.toFixed(1) ?? '?'

print(`load average at the start ${load()}`)
const small = new Bench(10_000)
await small.fill()
await small.blocks(1_000, 10)
const smallBlock = await small.blocks(1_000, 40)
await small.environment.close()

const large = new Bench(accounts)
await large.fill()
await large.blocks(20_000, 3)
const batch = await large.blocks(20_000, rounds)
const rate = ({ wall, best, cpu }: typeof batch) =>
  `${Math.round(20_000 / (wall / 1000))} (best ${Math.round(20_000 / (best / 1000))}; by processor time ${Math.round(20_000 / (cpu / 1000))})`
print(`20,000 changed accounts, root and commit included, a second: ${rate(batch)}; target 20000`)
print(`bytes of keys and values for each: ${Math.round(batch.bytes / 20_000)}; target at most 2500`)

const head = large.next - 1
for (const [name, height, target] of [
  ['the head', head, 3],
  ['an old height', head - 5, 5],
] as const) {
  await large.reads(height)
  const { wall, cpu } = await large.reads(height)
  print(`read at ${name}: ${wall.toFixed(2)} µs (processor ${cpu.toFixed(2)}); target at most ${target}`)
}

await large.blocks(1_000, 10)
const largeBlock = await large.blocks(1_000, 40)
const ratio = (key: 'wall' | 'best' | 'cpu') => (largeBlock[key] / smallBlock[key]).toFixed(2)
print(
  `a block of 1,000 changes: ${smallBlock.wall.toFixed(1)} ms (processor ${smallBlock.cpu.toFixed(1)}) at 10,000 accounts, ` +
    `${largeBlock.wall.toFixed(1)} ms (processor ${largeBlock.cpu.toFixed(1)}) at ${accounts}`,
)
print(`growth: ${ratio('wall')} × (best ${ratio('best')}, processor ${ratio('cpu')}); target at most 2`)
print(`load average at the end ${load()}`)
await large.environment.close()
rmSync(directory, { recursive: true })
