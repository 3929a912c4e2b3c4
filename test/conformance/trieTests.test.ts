import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toHex } from '../../src/base/encoding/hex.ts'
import { MemoryTrie } from './memoryTrie.ts'
import { ethereumTests, ethereumTestsMissing } from './officialSuites.ts'

/** The TrieTests of ethereum/tests. */

const folder = ethereumTests()

const read = (file: string): Record<string, unknown> =>
  folder === undefined ? {} : JSON.parse(readFileSync(join(folder, 'TrieTests', file), 'utf8'))

const bytes = (text: string): Uint8Array =>
  text.startsWith('0x') ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text, 'utf8')

type Entries = [key: string, value: string | null][]
interface RootCase {
  readonly in: Entries | Record<string, string | null>
  readonly root: string
}

const entriesOf = ({ in: input }: RootCase): Entries => (Array.isArray(input) ? input : Object.entries(input))

const change = ([key, value]: Entries[number]) =>
  [bytes(key), value === null ? undefined : bytes(value)] as const

const files = [
  ['trietest.json', false],
  ['trieanyorder.json', false],
  ['trietest_secureTrie.json', true],
  ['trieanyorder_secureTrie.json', true],
  ['hex_encoded_securetrie_test.json', true],
] as const

describe('TrieTests', () => {
  it('are there', (ctx) => {
    if (folder === undefined) ctx.skip(ethereumTestsMissing)
    for (const [file] of files) expect(Object.keys(read(file)).length, file).toBeGreaterThan(0)
  })

  for (const [file, isSecure] of files) {
    const cases = Object.entries(read(file)) as [string, RootCase][]
    it.each(cases)(`${file}: %s`, (_, given) => {
      const oneByOne = new MemoryTrie(isSecure)
      for (const entry of entriesOf(given)) oneByOne.apply([change(entry)])
      expect(toHex(oneByOne.root)).toBe(given.root)
      const inOneBatch = new MemoryTrie(isSecure)
      inOneBatch.apply(entriesOf(given).map(change))
      expect(toHex(inOneBatch.root)).toBe(given.root)
      expect(inOneBatch.rowCount).toBe(oneByOne.rowCount)
    })
  }

  const walks = Object.entries(read('trietestnextprev.json')) as [
    string,
    { readonly in: string[]; readonly tests: [key: string, before: string, after: string][] },
  ][]
  it.each(walks)('trietestnextprev.json: %s', (_, given) => {
    const trie = new MemoryTrie(false)
    trie.apply(given.in.map((key) => [bytes(key), bytes(key)]))
    const text = (key: Uint8Array | undefined): string => (key ? Buffer.from(key).toString('utf8') : '')
    for (const [key, before, after] of given.tests) {
      const next = trie.keys(bytes(key)).find((other) => Buffer.compare(other, bytes(key)) > 0)
      const previous = trie.keys().filter((other) => Buffer.compare(other, bytes(key)) < 0)
      expect([text(previous.at(-1)), text(next)]).toEqual([before, after])
    }
  })
})
