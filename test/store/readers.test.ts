import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { createChain } from '../support/blocks.ts'
import { slow } from '../support/slow.ts'

const script = fileURLToPath(new URL('./readerProcess.ts', import.meta.url))

const startReader = (path: string, last: number) => {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', script, path, String(last)])
  let output = ''
  let errors = ''
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const isReady = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk) => {
      output += chunk
      if (output.startsWith('ready\n')) resolve()
    })
  })
  const ended = once(child, 'exit').then(([code]) => ({
    code,
    errors,
    seen: output.trim().split('\n')[1] ?? '',
  }))
  return { isReady: Promise.race([isReady, ended]), ended }
}

test('other processes read whole blocks while they are written', slow, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-readers-'))
  const path = join(folder, 'data')
  const environment = new LmdbEnvironment({ path, minFreeBytes: 0 })
  try {
    const store = new BlockStore(environment)
    const chain = createChain(
      12,
      Array.from({ length: 60 }, () => ({ transactions: 40, maxLogs: 1 })),
    )
    const [genesis, ...rest] = chain.map(encodeBlockRows)
    if (!genesis) throw new Error('a chain has a first block')
    await environment.transact(() => store.initialize(genesis, '{}'))
    const readers = [startReader(path, rest.length), startReader(path, rest.length)]
    await Promise.all(readers.map(({ isReady }) => isReady))
    for (const rows of rest) await environment.transact(() => store.write(rows))
    for (const { code, errors, seen } of await Promise.all(readers.map(({ ended }) => ended))) {
      expect(errors).toBe('')
      expect(code).toBe(0)
      expect(seen.split(' ').length).toBeGreaterThan(1)
    }
  } finally {
    await environment.close()
    rmSync(folder, { recursive: true })
  }
})
