import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { workerUrl } from '../../../src/base/threads/builtFiles.ts'
import { eventually } from '../../support/eventually.ts'
import { slow } from '../../support/slow.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { dataFolder, inspect } from './harness.ts'

const script = fileURLToPath(new URL('./followProcess.ts', import.meta.url))
const isBuilt = existsSync(workerUrl('follow'))

const open: { close(): Promise<void> | void }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const family = 'cosmos-evm-0.7'
const length = 600

/** Starts a follower and kills it when it has come so far. Returns the last head that it told. */
const run = async (path: string, replay: Replay, until: number, signal: NodeJS.Signals): Promise<number> => {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', script, path, family, replay.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  let last = 0
  child.stdout?.on('data', (text: Buffer) => {
    last = Number(text.toString().trim().split('\n').at(-1))
  })
  await eventually(() => last >= until || child.exitCode !== null)
  child.kill(signal)
  await exit
  return last
}

test('a follower that is killed at any time goes on where its store is', slow, async (ctx) => {
  if (!isBuilt) ctx.skip('the program is not built')
  const chain = new SyntheticChain({ family, length, content: { transactions: 3 }, every: 3 })
  const replay = await startReplay({ chain })
  open.push(replay)
  const { path, remove } = dataFolder()
  open.push({ close: remove })
  // Blocks come slowly enough for a kill to find it in the middle of them.
  await replay.setFaults({ delay: 2 })
  for (const until of [1, 60, 200, 300]) {
    const told = await run(path, replay, until, 'SIGKILL')
    const { faults, head } = await inspect(path)
    expect(faults).toEqual([])
    expect(head).toBeGreaterThanOrEqual(told)
    expect(head).toBeLessThan(length)
  }
  await replay.setFaults({})
  await run(path, replay, length, 'SIGTERM')
  expect(await inspect(path)).toEqual({ faults: [], first: 1, head: length })
})
