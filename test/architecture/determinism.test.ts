import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { stripNonCode } from './sourceCode.ts'

/** Code that decides what a block is. Every node runs it, and all must come to the same bytes. */
const folders = ['app', 'chain', 'cosmos', 'evm', 'state']

/** What gives another answer at another time, on another machine or in another place. */
const forbidden: Readonly<Record<string, RegExp>> = {
  clock: /\b(?:Date|performance|hrtime)\b/,
  timers: /\b(?:setTimeout|setInterval|setImmediate|nextTick)\b/,
  randomness:
    /\bMath\s*\.\s*random\b|\b(?:randomBytes|randomUUID|randomInt|randomUint64|getRandomValues|randomFill\w*)\b/,
  locale: /\bIntl\b|\btoLocale\w+|\blocaleCompare\b/,
  environment: /\bprocess\b|\bimport\.meta\.env\b/,
  fractions:
    /(?<![\w.])(?:\d[\d_]*\.\d|\.\d|\d[\d_]*\.(?!\w|\.)|\d[\d_]*(?:\.\d+)?e-)|\bparseFloat\b|\btoFixed\b/i,
  'inexact functions':
    /\bMath\s*\.\s*(?:a?(?:sin|cos|tan)h?|atan2|sqrt|cbrt|pow|exp|expm1|log|log1p|log2|log10|hypot|PI|E)\b/,
}

interface Violation {
  readonly kind: string
  readonly line: number
  readonly text: string
}

const violationsIn = (source: string): Violation[] => {
  const lines = source.split('\n')
  return stripNonCode(source)
    .split('\n')
    .flatMap((code, index) =>
      Object.entries(forbidden)
        .filter(([, pattern]) => pattern.test(code))
        .map(([kind]) => ({ kind, line: index + 1, text: (lines[index] ?? '').trim() })),
    )
}

/** Why a file may all the same; one that no longer needs it fails. */
const exceptions: Readonly<Record<string, string>> = {
  'evm/host/createHost.ts: clock': 'the deadline of calls and traces; blocks are executed without one',
  'evm/host/instance.ts: randomness':
    'where keys lie in hash tables; what is in them is read in order of arrival',
  'evm/tracers/javascript/realm.ts: clock': 'the deadline of scripts, which only traces have',
  'evm/runCode.ts: clock': 'the command that measures code',
}

const src = fileURLToPath(new URL('../../src', import.meta.url))

const sources = folders.flatMap((folder) =>
  readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => !path.includes(`assembly${sep}`) && !path.includes(`gen${sep}`))
    .map((path) => join(folder, path)),
)

const found = sources.flatMap((path) =>
  violationsIn(readFileSync(join(src, path), 'utf8')).map(({ kind, line, text }) => ({
    key: `${path.replaceAll(sep, '/')}: ${kind}`,
    place: `src/${path}:${line}: ${kind}: ${text}`,
  })),
)

describe('code that every node must run to the same end', () => {
  test('has no clock, timer, randomness, locale, environment or fraction', () => {
    expect(found.filter(({ key }) => !(key in exceptions)).map(({ place }) => place)).toEqual([])
  })

  test('has no exception that nothing needs', () => {
    const needed = new Set(found.map(({ key }) => key))
    expect(Object.keys(exceptions).filter((key) => !needed.has(key))).toEqual([])
  })

  test('is all looked at', () => {
    expect(sources.length).toBeGreaterThan(80)
    expect(sources).toContain(join('app', 'executeBlock.ts'))
  })

  test('is held to it by the linter too', () => {
    const root = mkdtempSync(join(tmpdir(), 'perihelion-lint-'))
    try {
      copyFileSync(join(src, '../biome.json'), join(root, 'biome.json'))
      for (const folder of [...folders, 'node']) {
        mkdirSync(join(root, 'src', folder), { recursive: true })
        writeFileSync(join(root, 'src', folder, 'planted.ts'), 'export const at = (): number => Date.now()\n')
      }
      const biome = join(src, '../node_modules/@biomejs/biome/bin/biome')
      const args = [biome, 'lint', '--vcs-enabled=false', '--reporter=github', 'src']
      const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
      const named = [...stdout.matchAll(/noRestrictedGlobals,file=\S*?\/src\/(\w+)\/planted\.ts/g)].map(
        ([, name]) => name,
      )
      expect(named.sort()).toEqual(folders)
    } finally {
      rmSync(root, { recursive: true })
    }
  })

  test.each([
    ['clock', 'const at = Date.now()'],
    ['clock', 'const at = new Date().getTime()'],
    ['clock', 'const at = performance.now()'],
    ['timers', 'setTimeout(() => {}, 5)'],
    ['randomness', 'const salt = Math.random()'],
    ['randomness', "import { randomBytes } from 'node:crypto'"],
    ['locale', 'const text = amount.toLocaleString()'],
    ['locale', 'names.sort((a, b) => a.localeCompare(b))'],
    ['environment', 'const isFast = process.env.FAST'],
    ['fractions', 'const share = gas * 0.5'],
    ['fractions', 'const share = gas * .5'],
    ['fractions', 'const share = gas * 5e-1'],
    ['inexact functions', 'const root = Math.sqrt(gas)'],
    // Inside a template, after a regular expression, behind a comment.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    ['clock', "const text = `at ${'x'} ${Date.now()}`"],
    ['clock', 'const isHex = /["\'`/*]/.test(text) && Date.now() > 0'],
    ['clock', '/* no date here */ const at = Date.now()'],
  ])('would be found out: %s in `%s`', (kind, line) => {
    expect(violationsIn(`const one = 1\n${line}\nconst two = 2`)).toEqual([{ kind, line: 2, text: line }])
  })

  test.each([
    '// the Date header, Math.random() and 0.5',
    '/** `performance.now()`\n * 1.5 */',
    "const text = 'Date.now() 0.5'",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source text
    'const text = `Date ${count} 0.5`',
    'const pattern = /Date|0.5/',
    'const half = gas / 2n / 4n',
    'const list = [...entries, 1, 0x1f.toString(16)]',
    'const { timestamp, updated } = header',
    'const third = items[1]?.data',
  ])('would not be taken for: %s', (source) => {
    expect(violationsIn(source)).toEqual([])
  })
})
