import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Application } from '../../src/app/application.ts'
import { PoisonedError } from '../../src/base/lmdb/lmdb.ts'
import { define } from '../../src/cli/commands/rollback.ts'
import { dataFile } from '../../src/home/layout.ts'
import { createAppService } from '../../src/node/application/service.ts'

/** `perihelion rollback` in this process, so that what it calls can be made to fail. */
let home: string
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'perihelion-rollback-'))
  const service = await createAppService({
    path: dataFile(home),
    minFreeBytes: 0,
    pruning: 'archive',
    appearances: false,
    producesBlocks: false,
    genesis: {
      kind: 'dev',
      options: { chainId: 31_337n, accounts: [], coinbase: new Uint8Array(20), timestamp: 100n },
    },
  })
  await service.close()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(home, { recursive: true, force: true })
})

const rollback = async (): Promise<void> => {
  const command = new Command('rollback')
  define(command)
  await command.parseAsync(['--home', home, '--to', '0'], { from: 'user' })
}

test.each([
  [
    'a bug',
    new TypeError('undefined is not a function'),
    70,
    /^the rollback failed: undefined is not a function/,
  ],
  ['a failed commit', new PoisonedError('commit failed: Input/output error'), 74, /^commit failed/],
  [
    'a full disk',
    Object.assign(new Error('No space left on device'), { code: 28 }),
    74,
    /cannot be used: No space/,
  ],
  ['damage', Object.assign(new Error('MDB_CORRUPTED'), { code: -30_796 }), 74, /is damaged: MDB_CORRUPTED/],
])('%s is called what it is', async (_, error, exitCode, message) => {
  vi.spyOn(Application.prototype, 'rollback').mockRejectedValue(error)
  await expect(rollback()).rejects.toMatchObject({ exitCode, message: expect.stringMatching(message) })
})

test('a journal of the pool that cannot be opened is a bad file, and nothing is reverted', async () => {
  const reverting = vi.spyOn(Application.prototype, 'rollback')
  writeFileSync(join(home, 'data', 'pool'), '')
  await expect(rollback()).rejects.toMatchObject({
    exitCode: 74,
    message: expect.stringMatching(/data.pool/),
  })
  expect(reverting).not.toHaveBeenCalled()
})
