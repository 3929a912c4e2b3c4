import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { rolldown } from 'rolldown'
import { beforeAll, describe, expect, test } from 'vitest'
import { wasmText } from '../../scripts/lightBundle.ts'
import { importsOf, programFiles, root } from './programFiles.ts'
import { stripNonCode } from './sourceCode.ts'

/** Code that browsers run too: what is in these folders, and all that it uses of others. */
const folders = ['src/light', 'src/comet/data', 'src/provider']

/** What only Node.js has. The names of its modules are in quotes, and so they are looked for in the text. */
const isOfNode = (source: string): boolean =>
  /\bfrom 'node:|\bimport\('node:/.test(source) ||
  /(?<![\w.])(?:Buffer|process|require|global|setImmediate|__dirname|__filename)\b(?!\s*[?]?:)/.test(
    stripNonCode(source),
  )

const sources = folders.flatMap(programFiles)
/** The modules of a bundle for browsers with what is used of each, and what could not be found. */
const modules = new Map<string, string>()
const missing: string[] = []

beforeAll(async () => {
  const bundle = await rolldown({
    input: sources.map((path) => join(root, path)),
    platform: 'browser',
    plugins: [wasmText],
    onLog: (_, { message }) => missing.push(message),
  })
  const { output } = await bundle.generate()
  await bundle.close()
  for (const file of output) {
    if (file.type !== 'chunk') continue
    for (const [id, { code }] of Object.entries(file.modules)) modules.set(relative(root, id), code ?? '')
    missing.push(...file.imports.filter((name) => !output.some(({ fileName }) => fileName === name)))
  }
})

describe('code that browsers run too', () => {
  test('has nothing of Node.js', () => {
    expect(sources.filter((path) => isOfNode(readFileSync(join(root, path), 'utf8')))).toEqual([])
  })

  test('uses nothing of other folders that has something of Node.js', () => {
    const own = [...modules].filter(([path]) => path.startsWith('src/'))
    expect(own.filter(([, code]) => isOfNode(code)).map(([path]) => path)).toEqual([])
    expect(missing).toEqual([])
  })

  test('is all looked at', () => {
    expect([...modules.keys()]).toContain('src/base/platform/browser/binary.ts')
    expect([...modules.keys()]).not.toContain('src/base/platform/node/binary.ts')
    expect(modules.size).toBeGreaterThan(60)
  })

  test('imports no client', () => {
    const wrong = sources.flatMap((path) =>
      importsOf(path)
        .filter((target) => target.startsWith('src/comet/client/'))
        .map((target) => `${path} imports ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test.each([
    "import { readFileSync } from 'node:fs'",
    "const fs = await import('node:fs')",
    'const copy = Buffer.from(bytes)',
    'const read = (bytes: Buffer): void => {}',
    'if (process.env.FAST) run()',
    "const fs = require('fs')",
  ])('would be found out: %s', (source) => {
    expect(isOfNode(source)).toBe(true)
  })

  test.each(['// Buffer', "const text = 'process'", 'hash.process(block)', 'const bufferBytes = 1'])(
    'would not be taken for it: %s',
    (source) => {
      expect(isOfNode(source)).toBe(false)
    },
  )
})
