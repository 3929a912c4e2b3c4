import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programFiles, root } from './programFiles.ts'
import { stripNonCode } from './sourceCode.ts'

test('signals are combined by src/base/abort.ts alone, because `AbortSignal.any` leaks on Node 20', () => {
  const found = programFiles('src').filter((path) =>
    stripNonCode(readFileSync(join(root, path), 'utf8')).includes('AbortSignal.any'),
  )
  expect(found).toEqual([])
})
