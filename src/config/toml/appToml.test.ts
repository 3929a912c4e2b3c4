import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settingEntries } from '../settings/settings.ts'
import { appTomlPath, renderDefaultAppToml, updateAppToml, writeDefaultAppToml } from './appToml.ts'
import { readAppToml } from './fileValues.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perihelion-config-'))
})
afterEach(() => rm(folder, { recursive: true }))

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('the default app.toml', () => {
  test('holds every setting with its default, meaning and names', async () => {
    const path = join(folder, 'app.toml')
    await writeFile(path, renderDefaultAppToml())
    const { values, problems } = readAppToml(path)
    expect(problems).toEqual([])
    const inFile = settingEntries.filter(([, { notInFile }]) => !notInFile)
    expect([...values].map(([name, { value }]) => [name, value])).toEqual(
      inFile.map(([name, setting]) => [name, setting.default]),
    )
    const comments = renderDefaultAppToml().replaceAll('\n# ', ' ')
    for (const [name, { about }] of inFile) expect(comments).toContain(`${about} --${name}, PERIHELION_`)
  })

  test('is written once, for the owner alone', async () => {
    const home = join(folder, 'a', 'home')
    expect(await writeDefaultAppToml(home)).toBe(true)
    expect(await readFile(appTomlPath(home), 'utf8')).toBe(renderDefaultAppToml())
    expect(await Promise.all([home, join(home, 'config'), appTomlPath(home)].map(modeOf))).toEqual([
      '700',
      '700',
      '600',
    ])
    await writeFile(appTomlPath(home), 'dev = false\n')
    expect(await writeDefaultAppToml(home)).toBe(false)
    expect(await readFile(appTomlPath(home), 'utf8')).toBe('dev = false\n')
  })
})

/** 200 comments of all sorts around the settings, with uneven spacing. */
const commented = (): string => {
  const lines = ['# operator: do not touch', '\tminimum-gas-prices   = "0wei"\t # agreed on Monday']
  for (let i = 0; i < 99; i++) lines.push(`${' '.repeat(i % 5)}# note ${i}: minimum-gas-prices = "${i}wei"`)
  lines.push('[json-rpc]')
  for (let i = 0; i < 99; i++) lines.push(`#${i}`, i === 50 ? 'api  =  [ "eth",   "net" ]' : '')
  return `${lines.join('\n')}\n`
}

test('a file of an earlier version keeps the settings that have other names now', async () => {
  const path = join(folder, 'app.toml')
  await writeFile(path, '[gateway]\nmin-height-wait = "3s"\n')
  const { values, problems } = readAppToml(path)
  expect({ problems, value: values.get('json-rpc.min-height-wait')?.value }).toEqual({
    problems: [],
    value: 3000,
  })
})

describe('setting a value in app.toml', () => {
  test('changes exactly one line of a file with 200 comments', async () => {
    const path = join(folder, 'app.toml')
    const before = commented()
    expect(before.split('\n').filter((line) => line.includes('#'))).toHaveLength(200)
    await writeFile(path, before)
    await chmod(path, 0o640)
    await updateAppToml(path, 'minimum-gas-prices', '"1000000007wei"')
    const after = (await readFile(path, 'utf8')).split('\n')
    const changed = before.split('\n').flatMap((line, index) => (line === after[index] ? [] : [index]))
    expect(after).toHaveLength(before.split('\n').length)
    expect(changed).toEqual([1])
    expect(after[1]).toBe('\tminimum-gas-prices   = "1000000007wei"\t # agreed on Monday')
    expect(await modeOf(path)).toBe('640')
    expect(await readdir(folder)).toEqual(['app.toml'])
  })

  test('replaces the file in place of writing into it', async () => {
    const path = join(folder, 'app.toml')
    await writeFile(path, 'dev = true\n')
    const { ino } = await stat(path)
    await updateAppToml(path, 'dev', 'true')
    expect((await stat(path)).ino).toBe(ino)
    await updateAppToml(path, 'dev', 'false')
    expect((await stat(path)).ino).not.toBe(ino)
  })

  test('follows a link and keeps it', async () => {
    await mkdir(join(folder, 'real'))
    await writeFile(join(folder, 'real', 'settings.toml'), 'dev = true # x\n')
    await symlink(join('real', 'settings.toml'), join(folder, 'app.toml'))
    await updateAppToml(join(folder, 'app.toml'), 'dev', 'false')
    expect((await lstat(join(folder, 'app.toml'))).isSymbolicLink()).toBe(true)
    expect(await readFile(join(folder, 'real', 'settings.toml'), 'utf8')).toBe('dev = false # x\n')
    expect(await readdir(join(folder, 'real'))).toEqual(['settings.toml'])
  })

  test.each([
    ['a broken file', 'dev = \n'],
    ['a value in an inline table', 'json-rpc = { enable = true }\n'],
  ])('leaves %s alone', async (_name, text) => {
    const path = join(folder, 'app.toml')
    await writeFile(path, text)
    await expect(updateAppToml(path, 'json-rpc.enable', 'false')).rejects.toThrow()
    expect(await readFile(path, 'utf8')).toBe(text)
    expect(await readdir(folder)).toEqual(['app.toml'])
  })

  test('a missing file and a link to nowhere are errors', async () => {
    await symlink('nowhere', join(folder, 'link'))
    for (const name of ['absent', 'link'])
      await expect(updateAppToml(join(folder, name), 'dev', 'true')).rejects.toThrow('ENOENT')
    expect(await readdir(folder)).toEqual(['link'])
  })
})
