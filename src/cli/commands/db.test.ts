import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ExitError } from '../../base/exit.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { dataFile } from '../../home/layout.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { define } from './db.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'perihelion-home-'))
})
afterEach(() => {
  process.exitCode = 0
  rmSync(home, { recursive: true })
})

const run = async (...args: string[]): Promise<{ output: string; code: number }> => {
  let output = ''
  const write = (text: string | Uint8Array): boolean => {
    output += String(text)
    return true
  }
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(write),
  )
  process.exitCode = 0
  try {
    const program = new Command().exitOverride()
    define(program.command('db'))
    await program.parseAsync(['db', ...args, '--home', home], { from: 'user' })
  } catch (error) {
    if (!(error instanceof ExitError)) throw error
    output += `perihelion: ${error.message}\n`
    process.exitCode = error.exitCode
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return { output, code: Number(process.exitCode) }
}

const account = { nonce: 1n, balance: 1n, codeHash: emptyCodeHash }
const change = (byte: number) => ({
  address: new Uint8Array(20).fill(byte),
  account,
  storageCleared: false,
  storage: [],
})

describe('perihelion db', () => {
  it('says nothing of states where a gateway keeps blocks without them', async () => {
    const environment = new LmdbEnvironment({ path: dataFile(home), minFreeBytes: 0 })
    new BlockStore(environment)
    await environment.close()
    const { code, output } = await run('stats')
    expect(code).toBe(0)
    expect(output).toMatch(/^file .*\ntable /)
  })

  it('checks and measures a home, and says what is wrong with it', async () => {
    expect(await run('check')).toMatchObject({ code: 74, output: expect.stringContaining('does not exist') })
    const environment = new LmdbEnvironment({ path: dataFile(home), minFreeBytes: 0 })
    const store = new StateStore(environment)
    await store.commit(0, { code: [], accounts: [change(1), change(2)] })
    await store.commit(1, { code: [], accounts: [change(3)] })
    await environment.close()
    const checked = await run('check')
    expect(checked).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^head 1, oldest kept 0\n(.|\n)*\nok\n$/),
    })
    expect(checked.output).toContain('3 accounts, 0 slots')
    const stats = await run('stats')
    expect(stats.code).toBe(0)
    expect(stats.output).toMatch(/^file .*\nhead 1, oldest kept 0\n/)
    expect(stats.output).toMatch(/state\.accounts +3 /)
    expect(stats.output).toMatch(/\n(?:reader +transaction\n(?:process \d+ +(?:\d+|none)\n)+|no readers\n)$/)
    expect(stats.output).not.toContain('txnid')

    const broken = new LmdbEnvironment({ path: dataFile(home), minFreeBytes: 0 })
    const tables = new StateStore(broken).tables
    await broken.transact(() => {
      tables.accounts.table.remove(new Uint8Array(20).fill(2))
    })
    await broken.close()
    expect(await run('check')).toMatchObject({ code: 74, output: expect.stringContaining('problem: ') })
  })
})
