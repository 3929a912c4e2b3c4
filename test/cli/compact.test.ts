import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkDataFile } from '../../src/base/lmdb/file/check.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { lockHome } from '../../src/base/lock/homeLock.ts'
import { programUrl } from '../../src/base/threads/builtFiles.ts'
import { emptyCodeHash } from '../../src/chain/state/evmState.ts'
import { dataFile } from '../../src/home/layout.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { slow } from '../support/slow.ts'

/** `perihelion db compact` as a process of its own, which is killed at any moment. */
let home: string
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'perihelion-compact-'))
  const environment = new LmdbEnvironment({ path: dataFile(home), minFreeBytes: 0 })
  const store = new StateStore(environment, { pruning: 'everything' })
  for (let height = 0; height < 14; height++)
    await store.commit(height, { code: [], accounts: accountsOf(height) })
  await environment.close()
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const accountsOf = (height: number) =>
  Array.from({ length: 3000 }, (_, index) => ({
    address: Buffer.from((index * 7919).toString(16).padStart(40, '0'), 'hex'),
    account: { nonce: BigInt(height), balance: 1n, codeHash: emptyCodeHash },
    storageCleared: false,
    storage: [],
  }))

interface Ended {
  readonly code: number | null
  readonly output: string
}

const compact = (killAfterMs?: number): Promise<Ended> =>
  new Promise((resolve) => {
    const program = [fileURLToPath(programUrl), 'db', 'compact', '--home', home]
    const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => {
        output += text.toString()
      })
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output })
    })
  })

const rows = (): Map<string, number> => {
  const { problems, tables } = checkDataFile(dataFile(home))
  expect(problems).toEqual([])
  return new Map(tables.map((table) => [table.name, table.rows]))
}

test('a kill leaves the old file or the new one, and a later call finishes the work', slow, async () => {
  const before = rows()
  const size = statSync(dataFile(home)).size
  const started = performance.now()
  const whole = await compact()
  const took = performance.now() - started
  expect(whole).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^compacted file=data\/chain\.mdb bytes=\d+ before=/),
  })
  expect(statSync(dataFile(home)).size).toBeLessThan(size)
  expect(rows()).toEqual(before)
  // From when the program has hardly started to when it is nearly done.
  for (const share of [0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1]) {
    await compact(took * share)
    expect(rows()).toEqual(before)
  }
  expect(await compact()).toMatchObject({ code: 0 })
  expect(rows()).toEqual(before)
  expect(readdirSync(join(home, 'data')).filter((name) => name.includes('compact'))).toEqual([])
  const environment = new LmdbEnvironment({ path: dataFile(home), minFreeBytes: 0 })
  const store = new StateStore(environment, { pruning: 'everything' })
  await store.commit(14, { code: [], accounts: accountsOf(14) })
  expect(store.head?.height).toBe(14)
  await environment.close()
})

test('a home that is in use, or has nothing, is refused', slow, async () => {
  const unlock = lockHome(home)
  const size = statSync(dataFile(home)).size
  try {
    expect(await compact()).toMatchObject({ output: expect.stringContaining('is in use by process') })
  } finally {
    unlock()
  }
  expect(statSync(dataFile(home)).size).toBe(size)
  rmSync(join(home, 'data'), { recursive: true })
  expect(await compact()).toMatchObject({ code: 74, output: expect.stringContaining('does not exist') })
  expect(existsSync(dataFile(home))).toBe(false)
})

test.each(['file', 'link to a file'])('a %s that another process reads is refused', slow, async (kind) => {
  if (kind !== 'file') {
    renameSync(dataFile(home), join(home, 'elsewhere.mdb'))
    symlinkSync(join(home, 'elsewhere.mdb'), dataFile(home))
  }
  const environment = new LmdbEnvironment({ path: dataFile(home), readOnly: true })
  const pinned = environment.pinReadTransaction()
  try {
    expect(await compact()).toMatchObject({
      code: 74,
      output: expect.stringContaining(`is being read by process ${process.pid}: stop it first`),
    })
  } finally {
    pinned.done()
    await environment.close()
  }
  expect(await compact()).toMatchObject({ code: 0 })
})
