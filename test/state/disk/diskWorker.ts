import { rmSync } from 'node:fs'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { checkState } from '../../../src/state/check/stateCheck.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { createRandom } from '../../support/random.ts'

/**
 * Commits until the disk says no, then does what a node does: closes, gives room (deletes the ballast file, if any),
 * opens again, and goes on from the head it finds. Reports each step on its standard output. An unhandled rejection
 * or a signal ends it, which is what its parent looks for.
 */
const [path, ballast, minFree, atMost] = process.argv.slice(2) as [string, string, string, string]
const random = createRandom(3)
const codeHash = keccak_256(new Uint8Array(0))

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const open = () => {
  const environment = new LmdbEnvironment({ path, minFreeBytes: Number(minFree) })
  return { environment, store: new StateStore(environment) }
}

const commit = async ({ store }: ReturnType<typeof open>): Promise<number> => {
  const height = (store.head?.height ?? -1) + 1
  const accounts = Array.from({ length: 600 }, () => ({
    address: random.bytes(20),
    account: { nonce: 1n, balance: BigInt(height), codeHash },
    storageCleared: false,
    storage: [[random.bytes(32), random.bytes(32)] as const],
  }))
  await store.commit(height, { accounts, code: [] })
  return height
}

let opened = open()
let acknowledged = -1
for (;;) {
  try {
    acknowledged = await commit(opened)
  } catch (error) {
    const { name, message } = error as Error
    say(`refused ${name}: ${message}`)
    break
  }
  if (acknowledged >= Number(atMost)) {
    say(`no refusal in ${acknowledged} commits`)
    process.exit(3)
  }
}
say(`readable ${opened.store.reader(acknowledged).height === acknowledged}`)
if (opened.environment.isPoisoned) {
  const again = await commit(opened).catch((error: Error) => error.name)
  say(`then ${again}`)
  await opened.environment.close()
  rmSync(ballast, { force: true })
  opened = open()
} else rmSync(ballast, { force: true })
const head = opened.store.head?.height ?? -1
say(`reopened ${head - acknowledged}`)
const { problems } = checkState(opened.store, 4)
say(`problems ${problems.length === 0 ? 'none' : problems[0]}`)
say(`resumed ${(await commit(opened)) === head + 1}`)
await opened.environment.close()
