import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editToml } from './tomlEdit.ts'
import { lineOf, parseToml, scanToml } from './tomlScan.ts'

const price = ['minimum-gas-prices']
const enable = ['json-rpc', 'enable']

describe('editing TOML', () => {
  test.each<[string, string, readonly string[], string, string]>([
    ['a plain value', 'minimum-gas-prices = "0wei"\n', price, '"7wei"', 'minimum-gas-prices = "7wei"\n'],
    [
      'spacing, comment, line endings and indentation stay',
      'a=1\r\n  minimum-gas-prices\t=   "0wei"   # "keep" = 1\r\n[x]\r\n\tb = [ 1,\r\n   2 ] \r\n',
      price,
      '"7wei"',
      'a=1\r\n  minimum-gas-prices\t=   "7wei"   # "keep" = 1\r\n[x]\r\n\tb = [ 1,\r\n   2 ] \r\n',
    ],
    ['no newline at the end', "minimum-gas-prices='0'", price, '"7wei"', 'minimum-gas-prices="7wei"'],
    ['a quoted key', '"minimum-gas-prices" = 0 # n', price, '"7wei"', '"minimum-gas-prices" = "7wei" # n'],
    [
      'a value of several lines',
      'minimum-gas-prices = """\n0wei"""# n\n',
      price,
      '"7"',
      'minimum-gas-prices = "7"# n\n',
    ],
    [
      'decoys in comments, strings and other sections',
      '# minimum-gas-prices = 1\ns = """\nminimum-gas-prices = 2\n""\\""""\nt = \'\'\'\n[json-rpc]\n\'\'\'\nminimum-gas-prices = 3\n[x]\nminimum-gas-prices = 4\n',
      price,
      '"7"',
      '# minimum-gas-prices = 1\ns = """\nminimum-gas-prices = 2\n""\\""""\nt = \'\'\'\n[json-rpc]\n\'\'\'\nminimum-gas-prices = "7"\n[x]\nminimum-gas-prices = 4\n',
    ],
    [
      'an array with comments and brackets in it',
      'a = [ "]", # ]\n { b = "}" }, ]\nminimum-gas-prices = 0\n',
      price,
      '1',
      'a = [ "]", # ]\n { b = "}" }, ]\nminimum-gas-prices = 1\n',
    ],
    [
      'a value in a section',
      '[ json-rpc ] # s\nenable = true#x\n',
      enable,
      'false',
      '[ json-rpc ] # s\nenable = false#x\n',
    ],
    ['a dotted key', 'json-rpc . enable = true\n', enable, 'false', 'json-rpc . enable = false\n'],
    ['a byte order mark', '\uFEFFminimum-gas-prices = 0\n', price, '1', '\uFEFFminimum-gas-prices = 1\n'],
    [
      'dates and large integers stay',
      'd = 1979-05-27\nn = 9223372036854775807\nf = 1.50\nminimum-gas-prices = 0\n',
      price,
      '1',
      'd = 1979-05-27\nn = 9223372036854775807\nf = 1.50\nminimum-gas-prices = 1\n',
    ],
    ['an empty file', '', price, '1', 'minimum-gas-prices = 1\n'],
    [
      'a missing key, below the last of its section',
      'a = 1 # n\n\n# of x\n[x]\nb = 2\n',
      price,
      '1',
      'a = 1 # n\nminimum-gas-prices = 1\n\n# of x\n[x]\nb = 2\n',
    ],
    [
      'a missing key, above the first section',
      '# c\n[x]\nb = 2',
      price,
      '1',
      'minimum-gas-prices = 1\n# c\n[x]\nb = 2',
    ],
    [
      'a missing key of a section, in its line endings and indentation',
      '[json-rpc]\r\n  api = [\r\n    "eth" ] # n\r\n\r\n[x]\r\n',
      enable,
      'false',
      '[json-rpc]\r\n  api = [\r\n    "eth" ] # n\r\n  enable = false\r\n\r\n[x]\r\n',
    ],
    [
      'a missing key of an empty section',
      '[json-rpc]\n[x]\n',
      enable,
      'true',
      '[json-rpc]\nenable = true\n[x]\n',
    ],
    [
      'a missing key at the end of the file',
      '[json-rpc]\napi = []',
      enable,
      'true',
      '[json-rpc]\napi = []\nenable = true\n',
    ],
    [
      'a missing dotted key',
      'json-rpc.api = []\n[x]\n',
      enable,
      'true',
      'json-rpc.api = []\njson-rpc.enable = true\n[x]\n',
    ],
    ['a missing section', 'a = 1', enable, 'true', 'a = 1\n\n[json-rpc]\nenable = true\n'],
  ])('%s', (_name, before, path, value, after) => {
    expect(editToml(before, path, value)).toBe(after)
  })

  test.each<[string, string, readonly string[], string]>([
    ['a value inside an inline table', 'json-rpc = { enable = true }\n', enable, 'false'],
    ['a key missing in an inline table', 'json-rpc = { api = [] }\n', enable, 'false'],
    ['a section that is a value', 'json-rpc = 1\n', enable, 'false'],
    ['a value that brings a second line', 'minimum-gas-prices = 0\n', price, '1\nx = 2'],
    ['a value that brings a comment', 'minimum-gas-prices = [\n0\n] # x\n', price, ''],
    ['a document that is broken', 'minimum-gas-prices = \n', price, '1'],
  ])('%s is rejected', (_name, before, path, value) => {
    expect(() => editToml(before, path, value)).toThrow()
  })
})

/** Pieces of documents that are easy to misread; `k` becomes a key of its own. */
const pieces = [
  '# minimum-gas-prices = 1 "',
  "# it's [json-rpc]",
  '',
  '  k = "# = [ \\" \\\\"',
  "k = '\\' # '''",
  'k = """\nminimum-gas-prices = 1\n[x] "" \\" \\\\""""" # n',
  "k = '''\n\"\"\"\n''\nminimum-gas-prices = 1'''''",
  'k = [ [ "]" ], # ]\n\n  { a = "}", b = [\'[\'] },\n]',
  '\tk = 1979-05-27 07:32:00Z # x',
  '"k = #]" = -inf',
  '\'k.k\'.k . "\\u00e9" = 1_000',
  'k.minimum-gas-prices = 0x1F',
]

const block = fc.array(fc.constantFrom(...pieces), { maxLength: 6 })

test('in any document exactly one line changes, and nothing else', () => {
  const document = fc.record({
    above: block,
    below: block,
    sections: fc.array(block, { maxLength: 3 }),
    newline: fc.constantFrom('\n', '\r\n'),
  })
  fc.assert(
    fc.property(document, ({ above, below, sections, newline }) => {
      let keys = 0
      const distinct = (lines: readonly string[]) =>
        lines.map((line) => line.replace(/(?<=^\s*["']?)k/, () => `k${keys++}`))
      const lines = [...distinct(above), ' minimum-gas-prices =  "0wei"  # mine', ...distinct(below)]
      sections.forEach((section, index) => {
        lines.push(`[ s${index} . "]" ] # ]`, 'minimum-gas-prices = 2', ...distinct(section))
      })
      const before = lines.join('\n').replaceAll('\n', newline)
      const after = editToml(before, price, '"7wei"').split(newline)
      const changed = before
        .split(newline)
        .flatMap((line, at) => (line === after[at] ? [] : [line, after[at]]))
      expect(changed).toEqual([
        ' minimum-gas-prices =  "0wei"  # mine',
        ' minimum-gas-prices =  "7wei"  # mine',
      ])
      expect(after).toHaveLength(before.split(newline).length)
    }),
    { numRuns: 1000 },
  )
})

describe('lines', () => {
  const text = 'a = 1\n\n[x]\nb = """\n\n"""\nc = { d = 1 }\n[[y]]\n[z]\n'
  test.each<[readonly string[], number | undefined]>([
    [['a'], 1],
    [['x'], 3],
    [['x', 'b'], 4],
    [['x', 'c'], 7],
    [['x', 'c', 'd'], 7],
    [['y'], 8],
    [['z'], 9],
    [['nowhere'], undefined],
  ])('%j', (path, line) => {
    expect(lineOf(text, scanToml(text), path)).toBe(line)
  })

  test('a syntax error has its line', () => {
    expect(() => parseToml('a = 1\nb = \n')).toThrow(expect.objectContaining({ line: 2 }))
  })
})
