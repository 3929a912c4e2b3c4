import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderSettingsDocs } from './docs.ts'
import { settingEntries } from './settings/settings.ts'

test('docs/settings.md is what the table says; `perihelion config docs` writes it again', () => {
  const page = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8')
  expect(page).toBe(renderSettingsDocs())
})

test('every setting is one row with its names', () => {
  const rows = renderSettingsDocs().split('\n')
  for (const [name, { about }] of settingEntries)
    expect(rows.filter((row) => row.startsWith(`| \`${name}\`<br>`) && row.includes(about))).toHaveLength(1)
})
