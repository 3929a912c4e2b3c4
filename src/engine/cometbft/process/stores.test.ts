import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exitCodes } from '../../../base/exit.ts'
import { assertStoresKept } from './stores.ts'

let folder: string
const write = (name: string, text: string): void => writeFileSync(join(folder, 'data', name), text)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-stores-'))
  for (const name of ['blockstore.db', 'state.db']) {
    mkdirSync(join(folder, 'data', name), { recursive: true })
    write(`${name}/000001.log`, '')
    write(`${name}/CURRENT`, 'MANIFEST-000000\n')
  }
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a store is looked for where the configuration has it, and only where it is of files that are known', async () => {
  const configure = (text: string): void => {
    mkdirSync(join(folder, 'config'), { recursive: true })
    writeFileSync(join(folder, 'config', 'config.toml'), text)
  }
  const check = (): Promise<void> => assertStoresKept(folder, async () => 7)
  configure('db_backend = "pebbledb"')
  await check()
  const outside = mkdtempSync(join(tmpdir(), 'perihelion-stores-'))
  try {
    for (const [setting, at] of [
      ['elsewhere', join(folder, 'elsewhere')],
      [outside, outside],
    ] as const) {
      configure(`db_dir = ${JSON.stringify(setting)}`)
      await expect(check()).rejects.toThrow(`blockstore.db, state.db in ${at}`)
      for (const name of ['blockstore.db', 'state.db']) {
        mkdirSync(join(at, name), { recursive: true })
        writeFileSync(join(at, name, '000002.ldb'), 'blocks')
      }
      await check()
    }
  } finally {
    rmSync(outside, { recursive: true })
  }
})

test('a home without blocks needs none of CometBFT', () => assertStoresKept(folder, async () => 0))

test('stores that are gone, or were only made, are named with what helps', async () => {
  const check = (): Promise<void> => assertStoresKept(folder, async () => 7)
  const refusal = (lost: string) =>
    expect.objectContaining({
      exitCode: exitCodes.badFile,
      message: expect.stringMatching(new RegExp(`at block 7, .* gone \\(${lost} in .*perihelion reset`)),
    })
  await expect(check()).rejects.toEqual(refusal('blockstore\\.db, state\\.db'))
  write('blockstore.db/000002.ldb', 'blocks')
  await expect(check()).rejects.toEqual(refusal('state\\.db'))
  write('state.db/000001.log', 'state')
  await check()
  rmSync(join(folder, 'data', 'state.db'), { recursive: true })
  await expect(check()).rejects.toEqual(refusal('state\\.db'))
})
