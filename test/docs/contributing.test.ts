import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { slow } from '../support/slow.ts'
import { blocksOf, readPage, root } from './markdown.ts'

/** The examples of CONTRIBUTING.md are code of this tree: new files that compile, and changes that fit the files they name. */

const blocks = blocksOf(readPage('CONTRIBUTING.md'))

/** The files as they are once the examples are written, by their paths below the root. */
const written = new Map<string, string>()
/** Files of which an example shows pieces of functions, after their first lines (@@): those do not compile alone. */
const pieces = new Set<string>()
/** Lines of changes that the named file does not have. */
const missing: string[] = []

const linesOf = (path: string): string[] =>
  (written.get(path) ?? readFileSync(join(root, path), 'utf8')).split('\n')

/** Applies a change: lines that begin with a space or @@ are looked for in their order, those with + go after the last one found. */
const applyChange = (text: string): void => {
  let path = ''
  let lines: string[] = []
  let at = 0
  for (const line of text.split('\n')) {
    const named = /^(?: \/\/|\+\+\+) (?:b\/)?((?:src|explorer)\/\S+)$/.exec(line)?.[1]
    if (named !== undefined) {
      path = named
      lines = linesOf(path)
      at = 0
    } else if (line.startsWith('+')) {
      lines.splice(at++, 0, line.slice(1))
      written.set(path, lines.join('\n'))
    } else if (line !== ' …' && !line.startsWith('--- ')) {
      if (line.startsWith('@@')) pieces.add(path)
      const wanted = line.replace(/^(?:@@)? /, '')
      const found = lines.indexOf(wanted, at)
      if (found < 0) missing.push(`${path}: ${wanted}`)
      else at = found + 1
    }
  }
}

for (const { language, text } of blocks) {
  const [, path] = /^\/\/ ((?:src|explorer)\/\S+)\n/.exec(text) ?? []
  if (path !== undefined) written.set(path, text)
  else if (language === 'diff') applyChange(text)
}

test('changes name files and lines that are there, and new files are new', () => {
  expect(missing).toEqual([])
  const created = blocks
    .filter(({ language }) => /^tsx?$/.test(language))
    .map(({ text }) => text.split('\n')[0])
  expect(created.length).toBeGreaterThan(3)
  for (const line of created) {
    expect(line).toMatch(/^\/\/ (?:src|explorer)\/\S+$/)
    expect(existsSync(join(root, line?.slice(3) ?? '')), line).toBe(false)
  }
})

test('the examples compile', slow, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-examples-'))
  try {
    for (const name of ['src', 'package.json', 'tsconfig.json'])
      cpSync(join(root, name), join(folder, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const files = [...written.keys()].filter((path) => path.startsWith('src/') && !pieces.has(path))
    for (const path of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), written.get(path) ?? '')
    }
    writeFileSync(
      join(folder, 'examples.json'),
      JSON.stringify({ extends: './tsconfig.json', files, include: [] }),
    )
    const tsc = join(root, 'node_modules/.bin/tsc')
    const { stdout } = spawnSync(tsc, ['-p', 'examples.json'], { cwd: folder, encoding: 'utf8' })
    expect(stdout.split('\n').filter((line) => files.some((path) => line.startsWith(path)))).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
