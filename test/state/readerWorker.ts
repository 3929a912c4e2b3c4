import { parentPort } from 'node:worker_threads'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { createRandom } from '../support/random.ts'

/**
 * Reads one height over and over, in a thread or a process of its own: `<file> <height> <account count> <pinned>`.
 * Each answer to a message is a digest of every account at that height.
 */
const [path, height, count, pinned] = (process.env.READER_ARGUMENTS ?? '').split(' ') as [
  string,
  string,
  string,
  string,
]
const environment = new LmdbEnvironment({ path, readOnly: true })
const store = new StateStore(environment)
const random = createRandom(1)
const addresses = Array.from({ length: Number(count) }, () => random.bytes(20))
const reader = pinned === 'pinned' ? store.pinnedReader(Number(height)) : store.reader(Number(height))

const digest = (): string =>
  addresses.map((address) => String(reader.account(address)?.nonce ?? 'none')).join(',')

const answer = (text: string): void => {
  if (parentPort) parentPort.postMessage(text)
  else process.send?.(text)
}
const listen = (listener: () => void) =>
  parentPort ? parentPort.on('message', listener) : process.on('message', listener)
listen(() => answer(digest()))
answer('ready')
