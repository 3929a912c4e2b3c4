import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { settings } from '../../src/config/settings/settings.ts'
import { DetectionError } from '../../src/families/detect/detectionQueries.ts'
import { families, familyNamed } from '../../src/families/families.ts'

const src = fileURLToPath(new URL('../../src', import.meta.url))

/** The name of this project is that of a family too: outside the gateway it means the project. */
const ofTheProject = 'perihelion'

/** Every place in `src` that writes the name of a family as a string. */
const namedIn = (path: string): string[] => {
  const text = readFileSync(join(src, path), 'utf8')
  return families
    .filter(({ name }) => name !== ofTheProject || /^(?:gateway|families|light|comet)\b/.test(path))
    .filter(({ name }) => ["'", '"', '`'].some((quote) => text.includes(`${quote}${name}${quote}`)))
    .map(({ name }) => `${path.replaceAll(sep, '/')}: ${name}`)
}

const sources = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes(`${sep}gen${sep}`),
)

describe('families of chains', () => {
  test('each name is written once, in the literal of its family', () => {
    const places = sources.flatMap(namedIn)
    expect(places.filter((place) => !/^families\/\w+\.ts: /.test(place))).toEqual([])
    expect(places).toHaveLength(families.length)
  })

  test('names are different, and found', () => {
    for (const family of families) expect(familyNamed(family.name)).toBe(family)
    expect(() => familyNamed('atlantis')).toThrow(DetectionError)
  })

  test('an operator can name each of them, and no others', () => {
    const { kind } = settings['gateway.family']
    for (const { name } of families) expect(kind.fromText(name)).toEqual({ value: name })
    expect(kind.fromText('atlantis')).toBeUndefined()
    expect(kind.wanted).toBe(`one of ${['auto', ...families.map(({ name }) => name)].join(', ')}`)
  })

  test('the check sees the literals at all', () => {
    expect(namedIn(join('families', 'ethermint.ts'))).toEqual(['families/ethermint.ts: ethermint'])
  })
})
