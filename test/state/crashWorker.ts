import { keccak_256 } from '@noble/hashes/sha3.js'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { createRandom } from '../support/random.ts'
import { createBlocks, hex } from './model.ts'

/**
 * Commits block after block to the file it is given, and says so on its standard output: `begin` and `ack` with the
 * height, the acknowledgement with the root too. Blocks depend on their height alone, so that a replayed one is the same.
 * Those of `large` have thousands of rows.
 *
 * Two ways to do it wrong, as controls: `split` commits the head in a transaction of its own; `early` acknowledges
 * before the commit is durable.
 */
const [path, mode] = process.argv.slice(2) as [string, 'right' | 'large' | 'split' | 'early']

const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
const store = new StateStore(environment, { pruning: 'everything' })

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const size = mode === 'large' ? { accounts: 6_000, chosen: 9_000 } : { accounts: 400, chosen: 150 }
const { addresses } = createBlocks(createRandom(1), keccak_256, { accounts: size.accounts, changes: 1 })
const codeHash = keccak_256(new Uint8Array(0))

for (let height = (store.head?.height ?? -1) + 1; ; height++) {
  const random = createRandom(height + 1000)
  const chosen = new Set(
    Array.from({ length: size.chosen }, () => addresses[random.below(size.accounts)] as Uint8Array),
  )
  const changes = {
    code: [],
    accounts: [...chosen].map((address) => ({
      address,
      account:
        random.below(12) === 0
          ? undefined
          : { nonce: BigInt(height), balance: BigInt(random.below(1e9)), codeHash },
      storageCleared: random.below(12) === 0,
      storage: Array.from({ length: mode === 'large' ? 0 : random.below(3) }, (_, i) => {
        const slot = new Uint8Array(32)
        slot[31] = i * 50 + random.below(50)
        return [slot, random.bytes(32)] as const
      }),
    })),
  }
  const prepared = store.prepare(height, changes)
  const ack = `ack ${height} ${hex(prepared.root)}`
  say(`begin ${height}`)
  if (mode === 'early') say(ack)
  if (mode === 'split') {
    const { setHead } = store.tables
    store.tables.setHead = () => undefined
    await environment.transact(prepared.write)
    store.tables.setHead = setHead
    await environment.transact(() => store.tables.setHead({ height, root: prepared.root }))
  } else {
    await environment.transact(prepared.write)
  }
  if (mode !== 'early') say(ack)
}
