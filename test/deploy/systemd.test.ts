import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lastingExitCodes } from '../../src/base/exit.ts'
import { readPage } from '../docs/markdown.ts'
import { findProgram } from '../support/programs/findProgram.ts'
import { deployFiles, readDeployFile } from './files.ts'

const units = deployFiles.filter((name) => name.endsWith('.service'))
const settingOf = (unit: string, name: string): string | undefined =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(readDeployFile(unit))?.[1]

test('the unit is that of docs/monitoring.md', () => {
  const [, unit] = /```ini\n(.*?)```/s.exec(readPage('docs/monitoring.md')) ?? []
  expect(readDeployFile('systemd/perihelion.service').split('\n').slice(1).join('\n')).toBe(unit)
})

describe.each(units)('%s', (name) => {
  test('starts again after an end that a start can mend, and after no other', () => {
    expect(settingOf(name, 'RestartPreventExitStatus')?.split(' ').map(Number)).toEqual([...lastingExitCodes])
    expect(settingOf(name, 'Restart')).toBe('on-failure')
  })

  test('has its home where systemd makes a folder for it, that nobody else reads', () => {
    const folder = settingOf(name, 'StateDirectory')
    expect(settingOf(name, 'ExecStart')).toMatch(new RegExp(` --home /var/lib/${folder}$`))
    expect(settingOf(name, 'StateDirectoryMode')).toBe('0700')
    expect(settingOf(name, 'ProtectSystem')).toBe('strict')
  })

  test('lets V8 compile, and a refused system call be an error', () => {
    expect(settingOf(name, 'MemoryDenyWriteExecute')).toBeUndefined()
    expect(settingOf(name, 'SystemCallErrorNumber')).toBe('EPERM')
  })

  const analyze = findProgram('systemd-analyze')
  const known = 'is known to systemd, line for line'
  if (analyze === undefined) test.skip(`${known} (systemd-analyze is not installed)`, () => {})
  else
    test(known, () => {
      const folder = mkdtempSync(join(tmpdir(), 'perihelion-unit-'))
      try {
        // It looks for the program too, which is elsewhere here.
        const verify = (text: string) => {
          const file = join(folder, basename(name))
          writeFileSync(file, text.replace('/usr/bin/node', process.execPath))
          return spawnSync(analyze, ['verify', '--man=no', file], { encoding: 'utf8' }).stderr
        }
        const about = (output: string) => output.split('\n').filter((line) => line.includes(basename(name)))
        const text = readDeployFile(name)
        expect(about(verify(text))).toEqual([])
        expect(about(verify(text.replace('ProtectHome=', 'ProtectHouse=')))).toEqual([
          expect.stringContaining('ProtectHouse'),
        ])
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
})
