import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HeadPublisher, PublishedHeadReader } from './headFile.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'head-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const head = { number: 7, epoch: 1, reverts: 2, isChanging: false, isForked: false }

test('a head is read as it was published, and once', () => {
  const publisher = new HeadPublisher(join(folder, 'head'))
  publisher.publish(head)
  const reader = new PublishedHeadReader(join(folder, 'head'))
  expect(reader.next()).toEqual({ version: 1, ...head })
  expect(reader.next()).toBeUndefined()
  publisher.publish({ ...head, number: 2 ** 40 + 3, isChanging: true, isForked: true })
  expect(reader.next()).toEqual({
    ...{ version: 2, number: 2 ** 40 + 3, epoch: 1, reverts: 2 },
    ...{ isChanging: true, isForked: true },
  })
  reader.forget()
  expect(reader.next()?.version).toBe(2)
  reader.close()
  publisher.close()
})

test('a link in its place is rejected, and its target stays', () => {
  const target = join(folder, 'target')
  writeFileSync(target, 'kept')
  symlinkSync(target, join(folder, 'head'))
  expect(() => new HeadPublisher(join(folder, 'head'))).toThrow('head is a symbolic link')
  expect(readFileSync(target, 'utf8')).toBe('kept')
})

test('a record that is not whole is not taken for a head', () => {
  const path = join(folder, 'head')
  const record = new Uint32Array([1, 7, 0, 1, 2, 0, 12_345])
  writeFileSync(path, record)
  const reader = new PublishedHeadReader(path)
  expect(() => reader.next()).toThrow('the published head cannot be read')
  reader.close()
})
