import { expect, test } from 'vitest'
import { isSettingName } from '../settings/names.ts'
import { parseFlags } from './flags.ts'
import { foreignNames, hintedSettings } from './foreignFlags.ts'

test('flags of other tools are not settings here, and hints name settings that exist', () => {
  expect(foreignNames.filter(isSettingName)).toEqual([])
  expect(hintedSettings().filter((name) => !isSettingName(name))).toEqual([])
})

test.each([
  [['--port', '9545'], '--port: unknown flag, use --json-rpc.address 127.0.0.1:PORT'],
  [['--http.port=9545'], '--http.port: unknown flag, use --json-rpc.address 127.0.0.1:PORT'],
  [['--datadir', '/tmp/x'], '--datadir: unknown flag, use --home FOLDER'],
  [['--silent'], '--silent: unknown flag, use --quiet, and --log.level silent for no log at all'],
  [['-p', '9545'], '-p: unknown flag, use --json-rpc.address 127.0.0.1:PORT'],
  [['--acounts=3'], '--acounts: unknown flag, the nearest is --accounts'],
  [['-x'], '"-x": not a flag; flags are given as --name value'],
])('%j gets the right hint', (args, problem) => {
  expect(parseFlags(args).problems).toEqual([problem])
})
