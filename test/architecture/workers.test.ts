import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { workerEntries } from '../../src/base/threads/builtFiles.ts'

const root = new URL('../../', import.meta.url)
const sources = Object.values(workerEntries).map((file) => `src/${file}`)

describe('files that are loaded by their path', () => {
  test.each(sources)('%s is there', (source) => {
    expect(existsSync(new URL(source, root))).toBe(true)
  })

  test('knip takes each worker, and no other, for an entry', () => {
    const { entry } = JSON.parse(readFileSync(new URL('knip.json', root), 'utf8')) as {
      entry: readonly string[]
    }
    const workers = entry.filter((path) => /[wW]orker\.ts$/.test(path))
    expect([...workers].sort()).toEqual([...sources].sort())
  })

  test('nobody else knows where they are', () => {
    const folder = fileURLToPath(new URL('src/', root))
    const knowing = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => /new URL\([^)]*dist\//.test(readFileSync(`${folder}${file}`, 'utf8')))
    expect(knowing).toEqual(['base/threads/builtFiles.ts'])
  })
})
