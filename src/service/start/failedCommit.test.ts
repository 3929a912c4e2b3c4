import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exitCodes } from '../../base/exit.ts'
import type { Config } from '../../config/settings/settings.ts'
import { failedCommit } from './failedCommit.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'failed-commit-'))
  mkdirSync(join(home, 'data'))
})
afterEach(() => rmSync(home, { recursive: true }))

const fail = (reason: string, engine: Config['engine'] = 'solo', isEphemeral = false) => {
  const told: unknown[] = []
  const config = { home, engine } as Config // the settings that are read
  failedCommit(config, isEphemeral, reason, {
    onFatal: ({ exitCode, message }) => told.push([exitCode, message]),
    onCommitFailed: (...failure) => told.push(failure),
  })
  return told
}

test('a chain that is opened again waits for room only where the disk has none: what needs more fails again', () => {
  // A quota, or a block larger than what the probe writes.
  expect(fail('No space left on device')).toEqual([['No space left on device', false]])
  expect(fail('Input/output error')).toEqual([['Input/output error', false]])
})

test('a decided block cannot wait, and an ephemeral chain cannot be opened again', () => {
  expect(fail('Disk quota exceeded', 'cometbft')).toEqual([
    [exitCodes.badFile, expect.stringContaining('make room on the disk')],
  ])
  expect(fail('No space left on device', 'solo', true)).toEqual([
    [exitCodes.badFile, 'No space left on device'],
  ])
})
