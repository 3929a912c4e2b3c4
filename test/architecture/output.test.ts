import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programFiles, root } from './programFiles.ts'
import { stripNonCode } from './sourceCode.ts'

/** The only files that hand the standard streams on, each to what makes foreign text harmless. */
const holders = [
  // `print` and `printError`, through which commands write.
  'src/cli/output/print.ts',
  // Writes its line as `printable`.
  'src/cli/output/progress.ts',
  // To the line of status, which the log, the greeting and what happens share.
  'src/cli/serve/serve.ts',
  // To what shows transactions as anvil does, through `withoutControls`.
  'src/cli/commands/anvil/anvil.ts',
  // To the table of nodes, which writes `printable` lines.
  'src/cli/commands/testnet/testnet.ts',
  // To readline, for a question that is `printable`.
  'src/cli/output/confirm.ts',
]

/** Uses of a standard stream that write nothing. */
const harmless = /(?:\.(?:isTTY|columns)\b|\.on\()/

/** Returns the uses of the standard streams and of other ways around `print` in a source. */
const findWrites = (source: string): readonly string[] => {
  const code = stripNonCode(source)
  return [
    ...code
      // Colours and widths are only chosen by it.
      .replaceAll(/\b(?:painter|hasColours|columnsOf)\(process\.std(?:out|err)\)/g, '')
      .matchAll(/process\s*\.\s*std(?:out|err)(.{0,10})/g),
  ]
    .filter(([, rest = '']) => !new RegExp(`^${harmless.source}`).test(rest))
    .map(([text]) => text)
    .concat(code.match(/\{[^{}]*\bstd(?:out|err)\b[^{}]*\}\s*=\s*process\b/g) ?? [])
    .concat(code.match(/\bwriteSync\(\s*[12]\b/g) ?? [])
}

test('text reaches the standard streams through src/cli/output/print.ts, which makes foreign text harmless', () => {
  const found = programFiles('src').filter(
    (path) => findWrites(readFileSync(join(root, path), 'utf8')).length > 0,
  )
  expect(found).toEqual([...holders].sort())
})

test('the logger alone opens a destination of pino', () => {
  const found = programFiles('src').filter((path) =>
    stripNonCode(readFileSync(join(root, path), 'utf8')).includes('pino.destination'),
  )
  expect(found).toEqual(['src/base/logging/log.ts'])
})

test.each([
  ['process.stdout.write(`a`)', 1],
  ['const { stdin, stderr } = process', 1],
  ['const out = process.stderr\nout.write(`a`)', 1],
  ['writeSync(2, text)', 1],
  ['if (process.stdout.isTTY) paint = painter(process.stderr)', 0],
  ["process.stdout.on('error', stop)", 0],
])('control: %s has %d writes', (source, count) => {
  expect(findWrites(source)).toHaveLength(count)
})
