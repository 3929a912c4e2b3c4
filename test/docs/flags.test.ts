import { expect, test } from 'vitest'
import { settingVariables, unknownFlags } from './flags.ts'
import { pages, readPage } from './markdown.ts'

/** Variables that are not settings and that the docs speak of as such. */
const ofKubernetes = ['PERIHELION_PORT', 'PERIHELION_SERVICE_HOST']

test.each(pages.filter((page) => !page.startsWith('docs/decisions/')))(
  '%s has settings that exist',
  (page) => {
    const text = readPage(page)
    expect(unknownFlags(text)).toEqual([])
    const variables = [...text.matchAll(/\bPERIHELION_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => name)
    expect(variables.filter((name) => !settingVariables.has(name) && !ofKubernetes.includes(name))).toEqual(
      [],
    )
  },
)

test('the check sees flags that do not exist', () => {
  expect(unknownFlags('`perihelion start --port 1 --home x` --json-rpc.nothing')).toEqual([
    'start --port',
    '--json-rpc.nothing',
  ])
  expect(unknownFlags('perihelion gateway --node x \\\n  --grpc y --home z')).toEqual([])
})
