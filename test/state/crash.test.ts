import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { checkState } from '../../src/state/check/stateCheck.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { createRandom } from '../support/random.ts'
import { slow } from '../support/slow.ts'
import { hex } from './model.ts'

/**
 * SIGKILL in the middle of commits. The worker is another process; what it acknowledged is kept here. CRASH_KILLS
 * (500 for `npm run long -- crash`) says how many commits are cut.
 */
const kills = Number(process.env.CRASH_KILLS ?? 6)
const directory = mkdtempSync(join(tmpdir(), 'perihelion-crash-'))
// Bundled once: a worker lives for a second, and most of that would be the loader's. Two folders below the root, from
// where the modules and files of a build are found.
const bundle = fileURLToPath(new URL(`../../build/perihelion-crash-${process.pid}/`, import.meta.url))
const random = createRandom(Number(process.env.CRASH_SEED ?? 11))

interface Acknowledged {
  readonly roots: Map<number, string>
  last: number
  /** How long a commit takes, to aim at any moment of it. */
  usual: number
}

/** Runs the worker and kills it at a random moment of one of its first commits. */
const runAndKill = (path: string, mode: string, acks: Acknowledged): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(bundle, 'crashWorker.mjs'), path, mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let until = 1 + random.below(3)
    let begun = 0
    let rest = ''
    child.stdout.on('data', (data: Buffer) => {
      const lines = (rest + data.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [word, height, root] = line.split(' ') as [string, string, string]
        if (word === 'ack') {
          acks.last = Number(height)
          acks.roots.set(acks.last, root)
          if (begun > 0) acks.usual = 0.8 * acks.usual + 0.2 * (performance.now() - begun)
        } else if (--until === 0)
          killAfter(random.below(1000) * 0.0015 * acks.usual, () => child.kill('SIGKILL'))
        begun = performance.now()
      }
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === null ? resolve() : reject(new Error(`the worker ended with ${code}`)),
    )
  })

/** Timers are too coarse for a commit of a few milliseconds. */
const killAfter = (milliseconds: number, kill: () => void): void => {
  const end = performance.now() + milliseconds
  const wait = (): void => {
    if (performance.now() >= end) kill()
    else setImmediate(wait)
  }
  wait()
}

/** What is wrong with the file after a kill. */
const violations = async (path: string, acks: Acknowledged): Promise<string[]> => {
  const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
  try {
    const store = new StateStore(environment, { pruning: 'everything' })
    const head = store.head?.height ?? -1
    const found = [...checkState(store, 3).problems]
    if (head < acks.last) found.push(`${acks.last} was acknowledged, the head is ${head}`)
    if (head > acks.last + 1) found.push(`the head is ${head}, but ${acks.last} was the last acknowledged`)
    for (let height = store.oldest ?? 0; height <= Math.min(head, acks.last); height++) {
      const acknowledged = acks.roots.get(height)
      if (acknowledged && acknowledged !== hex(store.rootAt(height))) found.push(`another root at ${height}`)
    }
    return found
  } finally {
    await environment.close()
  }
}

describe(`${kills} commits cut by SIGKILL`, () => {
  beforeAll(async () => {
    const entry = fileURLToPath(new URL('crashWorker.ts', import.meta.url))
    await build({
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: entry,
        outDir: bundle,
        emptyOutDir: true,
        target: 'node20',
        rollupOptions: { output: { entryFileNames: 'crashWorker.mjs' } },
      },
    })
  })
  afterAll(() => {
    for (const made of [directory, bundle]) rmSync(made, { recursive: true })
  })

  const cutCommits = async (mode: 'right' | 'large'): Promise<void> => {
    const acks: Acknowledged = { roots: new Map(), last: -1, usual: 10 }
    const path = join(directory, `${mode}.mdb`)
    const cut = { before: 0, after: 0 }
    for (let i = 0; i < kills; i++) {
      await runAndKill(path, mode, acks)
      expect(await violations(path, acks)).toEqual([])
      const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
      const head = new StateStore(environment).head?.height ?? -1
      await environment.close()
      if (head > acks.last) cut.after++
      else cut.before++
      // A commit that made it without its acknowledgement counts as done from here on.
      acks.last = head
    }
    console.log(
      `${kills} kills: ${cut.before} left the head before the commit, ${cut.after} after it; head ${acks.last}`,
    )
  }
  const timeout = 180_000 + kills * 5_000
  it('is at one height, with all that was acknowledged', { timeout }, () => cutCommits('right'))
  it('is at one height after large blocks too', { ...slow, timeout }, () => cutCommits('large'))

  it.each(['split', 'early'])(
    'control: a worker that does it wrong (%s) is found out',
    slow,
    async (mode) => {
      const acks: Acknowledged = { roots: new Map(), last: -1, usual: 10 }
      const path = join(directory, `${mode}.mdb`)
      let found: string[] = []
      for (let i = 0; i < 40 && found.length === 0; i++) {
        await runAndKill(path, mode, acks)
        found = await violations(path, acks)
      }
      expect(found).not.toEqual([])
      console.log(`${mode}: ${found[0]}`)
    },
  )
})
