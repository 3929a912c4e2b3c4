import { LmdbEnvironment, muteLmdbErrors, PoisonedError } from '../../../src/base/lmdb/lmdb.ts'
import { checkState } from '../../../src/state/check/stateCheck.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { changesAt } from './churn.ts'

/**
 * Commits block after block while writes and syncs fail. After a failed commit it does what a node does: it acknowledges
 * nothing more, closes, opens again and goes on from the head it finds. Each acknowledgement and each fault is a line on
 * standard output. `careless` goes on as if nothing had happened, as a control.
 */
const [path, faults, mode] = process.argv.slice(2) as [string, string, 'right' | 'careless']

muteLmdbErrors()

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
const open = async () => {
  const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
  try {
    return { environment, store: new StateStore(environment, { pruning: 'everything' }) }
  } catch (error) {
    // Otherwise the next attempt would get the same environment.
    await environment.close()
    throw error
  }
}

/** Opens again until that works: opening writes too, and the fault may hit it. */
const reopen = async (): ReturnType<typeof open> => {
  for (let attempt = 0; ; attempt++) {
    try {
      return await open()
    } catch (error) {
      if (attempt === 20) throw error
      say(`reopening failed: ${(error as Error).message}`)
    }
  }
}

let opened = await reopen()
let acknowledged = -1
for (let seen = 0; seen < Number(faults); ) {
  const height = (opened.store.head?.height ?? -1) + 1
  try {
    const { root } = await opened.store.commit(height, changesAt(height))
    acknowledged = height
    say(`ack ${height} ${Buffer.from(root).toString('hex')}`)
  } catch (error) {
    if (!(error instanceof PoisonedError)) throw error
    seen++
    say(`refused ${height} ${error.message}`)
    if (mode === 'careless') {
      acknowledged = height
      say(
        `ack ${height} ${Buffer.from(opened.store.prepare(height, changesAt(height)).root).toString('hex')}`,
      )
    }
    await opened.environment.close()
    opened = await reopen()
    const head = opened.store.head?.height ?? -1
    const { problems } = checkState(opened.store, 2)
    const isRight = (head === acknowledged || head === height) && problems.length === 0
    say(
      isRight
        ? `reopened ${head}`
        : `wrong: head ${head} after ${acknowledged}, ${problems[0] ?? 'state intact'}`,
    )
  }
}
await opened.environment.close()
