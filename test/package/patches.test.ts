import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { applyPatch, parsePatch, readPatches } from '../../scripts/patches.ts'
import { findProgram } from '../support/programs/findProgram.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'scripts/patches')
const files = readdirSync(folder).filter((name) => name.endsWith('.patch'))
const installed = (name: string, file: string): string =>
  readFileSync(join(root, 'node_modules', name, file), 'utf8')

describe('patches of bundled packages', () => {
  test.each(files)('%s is for the installed version, and says why', (name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const patch = parsePatch(text)
    const { version } = JSON.parse(installed(patch.package, 'package.json')) as { version: string }
    expect(version).toBe(patch.version)
    const [, reason = ''] = text.split(/\n\n/)
    expect(reason.length).toBeGreaterThan(60)
    const before = installed(patch.package, patch.file)
    const after = applyPatch(patch, before)
    expect(after).not.toBe(before)
    expect(after.split('\n')).toHaveLength(before.split('\n').length)
  })

  test('a package that has changed is noticed', () => {
    for (const patch of readPatches()) {
      const text = installed(patch.package, patch.file)
      expect(() => applyPatch(patch, text.replace(patch.from, ''))).toThrow('does not fit')
      expect(() => applyPatch(patch, `${text}${patch.from}`)).toThrow('does not fit')
    }
  })

  test.skipIf(findProgram('patch') === undefined).each(files)(
    '%s is what the program patch applies too',
    (name) => {
      const patch = parsePatch(readFileSync(join(folder, name), 'utf8'))
      const copy = mkdtempSync(join(tmpdir(), 'perihelion-patch-'))
      onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
      mkdirSync(dirname(join(copy, patch.file)), { recursive: true })
      cpSync(join(root, 'node_modules', patch.package, patch.file), join(copy, patch.file))
      execFileSync('patch', ['-p1', '--silent', '-i', join(folder, name)], { cwd: copy })
      expect(readFileSync(join(copy, patch.file), 'utf8')).toBe(
        applyPatch(patch, installed(patch.package, patch.file)),
      )
    },
  )

  test('the page of the folder names each', () => {
    const page = readFileSync(join(folder, 'README.md'), 'utf8')
    for (const name of files) expect(page).toContain(`](${name})`)
  })
})
