import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfinementError, readConfinedFile } from './confinedFile.ts'

let root: string
let home: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'confined-'))
  home = join(root, 'home')
  mkdirSync(join(home, 'traces', 'sub'), { recursive: true })
  writeFileSync(join(home, 'traces', 'block'), 'inside')
  writeFileSync(join(home, 'traces', 'sub', 'block'), 'deeper')
  writeFileSync(join(home, 'traces', '..block'), 'dots')
  writeFileSync(join(home, 'secret'), 'of the home')
  writeFileSync(join(root, 'secret'), 'outside')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const read = async (file: string, maxBytes = 100): Promise<string> =>
  (await readConfinedFile({ parent: home, name: 'traces', maxBytes }, file)).toString()

const link = (target: string, ...place: readonly string[]): void => symlinkSync(target, join(home, ...place))

describe('a file whose name a caller chose', () => {
  test.each([
    ['block', 'inside'],
    ['./block', 'inside'],
    ['sub/block', 'deeper'],
    ['sub/../block', 'inside'],
    ['..block', 'dots'],
  ])('%s is read', async (file, text) => {
    expect(await read(file)).toBe(text)
    expect(await read(join(home, 'traces', file))).toBe(text)
  })

  test.each([
    '',
    '.',
    '..',
    '../secret',
    '../../secret',
    'sub/../../secret',
    '/etc/passwd',
    'block\0',
    '../traces2/x',
  ])('%j leaves by its text', async (file) => {
    await expect(read(file)).rejects.toThrow(ConfinementError)
  })

  test('links cannot leave, whichever part of the path they are', async () => {
    link('../secret', 'traces', 'up')
    link(join(root, 'secret'), 'traces', 'out')
    link(root, 'traces', 'folder')
    link('out', 'traces', 'twice')
    for (const file of ['up', 'out', 'folder/secret', 'folder/home/secret', 'twice'])
      await expect(read(file), file).rejects.toThrow(ConfinementError)
  })

  test('a link within the folder is followed', async () => {
    link('sub/block', 'traces', 'within')
    link('sub', 'traces', 'folder')
    expect(await read('within')).toBe('deeper')
    expect(await read('folder/block')).toBe('deeper')
  })

  test('the folder itself may not be a link, the home may', async () => {
    rmSync(join(home, 'traces'), { recursive: true })
    link(root, 'traces')
    await expect(read('secret')).rejects.toThrow(ConfinementError)
    rmSync(join(home, 'traces'))
    mkdirSync(join(home, 'traces'))
    writeFileSync(join(home, 'traces', 'block'), 'inside')
    symlinkSync(home, join(root, 'alias'))
    const options = { parent: join(root, 'alias'), name: 'traces', maxBytes: 100 }
    expect((await readConfinedFile(options, 'block')).toString()).toBe('inside')
  })

  test('anything but a file, and a file that is too large, is rejected', async () => {
    await expect(read('sub')).rejects.toThrow('not a regular file')
    execFileSync('mkfifo', [join(home, 'traces', 'pipe')])
    await expect(read('pipe')).rejects.toThrow('not a regular file')
    await expect(read('block', 5)).rejects.toThrow('larger than 5 bytes')
    await expect(read('none')).rejects.toThrow('ENOENT')
  })
})
