import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { editToml } from '../../../../src/base/toml/tomlEdit.ts'
import { parseToml } from '../../../../src/base/toml/tomlScan.ts'
import { renderDefaultAppToml } from '../../../../src/config/toml/appToml.ts'
import { readAppToml } from '../../../../src/config/toml/fileValues.ts'
import { assertSo, type InputTarget, taken } from '../target.ts'

const seeds = [
  renderDefaultAppToml(),
  'dev = true\n[json-rpc]\napi = ["eth", "net"]\ngas-cap = 1_000_000 # why\n[log]\nlevel = "info"\n',
  '\uFEFFjson-rpc.enable = false\r\n[log]\r\n"level" = \'warn\'\r\n',
  'minimum-gas-prices = """\n0"""\n[json-rpc]\nwrite-permits = 0x10\napi = [\n  "eth", # a note\n]\n',
]

/** Everything that TOML has, of which no setting is. */
const others =
  'a.b."c.d" = 1\n[[tables]]\nx = { y = [1, [2, "]"]] }\ntext = """\n"quoted" \\\n   on\n"""\nliteral = \'\'\'\n\'\'\'\ndate = 1979-05-27T07:32:00Z\n'

/** `app.toml`, which operators edit by hand, and the change of one setting in it. */
export const toml = (): InputTarget => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-toml-'))
  const file = join(folder, 'app.toml')
  return {
    name: 'app.toml',
    seeds: seeds.map((text) => Buffer.from(text)),
    words: [
      ...[
        '[json-rpc]\n',
        '[[json-rpc]]\n',
        '[json-rpc.keys]\n',
        'gas-cap = ',
        '"""',
        "'''",
        '"',
        "'",
        '\\u0000',
        '\\x',
      ],
      ...[
        '[',
        ']',
        '{',
        '}',
        '=',
        '.',
        '#',
        '\n',
        '\r',
        '\r\n',
        ' ',
        '\t',
        '\0',
        'inf',
        'nan',
        '0x',
        '1e400',
        '_',
      ],
      ...[
        '99999999999999999999',
        '-0',
        '1979-13-41',
        '__proto__ = 1\n',
        '[__proto__]\n',
        'constructor.prototype = 1\n',
      ],
      others,
      '['.repeat(200),
      '{a='.repeat(200),
      Buffer.from([0xff, 0xfe]),
      Buffer.from([0xed, 0xa0, 0x80]),
    ],
    deepReason: /wanted a section|cannot stand in this file|, wanted /,
    read: (input) => {
      writeFileSync(file, input)
      const { values, problems } = readAppToml(file)
      for (const problem of problems) assertSo(!problem.includes('\n'), 'a problem has more than one line')
      if (problems.length > 0) return { refused: problems.at(-1)?.replace(file, 'app.toml') }
      assertSo(values.size > 0 || problems.length === 0, 'nothing was read')
      checkEdit(Buffer.from(input).toString('utf8'))
      return taken
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** An edit changes the one value, or is refused with a reason for the operator. */
const checkEdit = (text: string): void => {
  let edited: string
  try {
    edited = editToml(text, ['json-rpc', 'gas-cap'], '21001')
  } catch (error) {
    if ((error as Error).constructor === Error) return
    throw error
  }
  const section = parseToml(edited)['json-rpc'] as { readonly 'gas-cap'?: unknown }
  assertSo(section['gas-cap'] === 21_001n, 'the value is another one')
  assertSo(
    editToml(edited, ['json-rpc', 'gas-cap'], '21001') === edited,
    'the same change again changes more',
  )
}
