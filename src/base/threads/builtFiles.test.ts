import { expect, test } from 'vitest'
import { workerFlags } from './builtFiles.ts'

test('a thread gets the flags of its process, but for those with which it could load no file', () => {
  expect(workerFlags(['--expose-gc', '--import', './x.mjs'])).toEqual({})
  expect(workerFlags(['--expose-gc', '--input-type=module', '--eval'])).toEqual({ execArgv: [] })
})
