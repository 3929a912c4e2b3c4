import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  AtomicFile,
  createFileSync,
  replaceFileSync,
  writeFileAtomically,
  writeFileAtomicallySync,
} from './atomicFile.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'atomic-'))
  path = join(folder, 'file')
})

const text = (): string => readFileSync(path, 'utf8')
const mode = (): number => statSync(path).mode & 0o777

const writers = {
  asynchronously: (content: string, wanted: number) => writeFileAtomically(path, [content], wanted),
  synchronously: async (content: string, wanted: number) => writeFileAtomicallySync(path, content, wanted),
}

describe.each(Object.entries(writers))('%s', (_name, write) => {
  test('replaces what has the name, with exactly the mode', async () => {
    await write('one', 0o600)
    expect([text(), mode()]).toEqual(['one', 0o600])
    const umask = process.umask(0o077)
    try {
      await write('two', 0o644)
    } finally {
      process.umask(umask)
    }
    expect([text(), mode()]).toEqual(['two', 0o644])
    expect(readdirSync(folder)).toEqual(['file'])
  })

  test('replaces a link, not its target', async () => {
    const target = join(folder, 'target')
    writeFileSync(target, 'kept')
    symlinkSync(target, path)
    await write('new', 0o600)
    expect([text(), readFileSync(target, 'utf8')]).toEqual(['new', 'kept'])
  })

  test('a failure leaves what was there and nothing else', async () => {
    mkdirSync(join(path, 'inside'), { recursive: true })
    await expect(write('new', 0o600)).rejects.toMatchObject({
      code: expect.stringMatching(/EISDIR|ENOTEMPTY/),
    })
    expect(readdirSync(folder)).toEqual(['file'])
    expect(readdirSync(path)).toEqual(['inside'])
  })
})

test('without a mode the file has the rights of any new one', async () => {
  const other = join(folder, 'other')
  writeFileSync(other, '')
  await writeFileAtomically(path, ['text'])
  expect(mode()).toBe(statSync(other).mode & 0o777)
})

test('the name is not there before the file is whole, and not when its parts fail', async () => {
  const failing = function* (): Generator<string> {
    yield 'half'
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([])
    throw new Error('no more')
  }
  await expect(writeFileAtomically(path, failing())).rejects.toThrow('no more')
  expect(readdirSync(folder)).toEqual([])
})

test('parts are appended in their order', async () => {
  const file = await AtomicFile.create(path, 0o600)
  await file.write('a')
  await file.write(Uint8Array.of(0x62))
  await file.write('c')
  expect(readdirSync(folder)).not.toContain('file')
  await file.finish()
  expect(text()).toBe('abc')
})

test('a file that is given up leaves nothing behind', async () => {
  const file = await AtomicFile.create(path)
  await file.write('a')
  await file.discard()
  expect(readdirSync(folder)).toEqual([])
})

test('the replaced file can be written on', () => {
  const file = replaceFileSync(path, 'one', 0o600)
  writeFileSync(file, ' two')
  expect(text()).toBe('one two')
})

test('a new file is made once, and never in place of another', () => {
  expect(createFileSync(path, 'one', 0o600)).toBe(true)
  expect([text(), mode()]).toEqual(['one', 0o600])
  expect(createFileSync(path, 'two', 0o600)).toBe(false)
  expect(text()).toBe('one')
  expect(readdirSync(folder)).toEqual(['file'])
})

test('a link to nowhere counts as a file that is there', () => {
  symlinkSync(join(folder, 'nowhere'), path)
  expect(createFileSync(path, 'one', 0o600)).toBe(false)
  expect(readdirSync(folder)).toEqual(['file'])
})
