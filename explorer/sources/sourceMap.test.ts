import { expect, test } from 'vitest'
import { SourcePlaces } from './sourceMap.ts'

test('numbers that no compiler writes lead nowhere', () => {
  const file = { id: 0, path: 'a.sol', content: 'uint a;\n' }
  const map = '-5:2:0;0:-1:0;99999999999999999999:1:0;0:4000000000:0;NaN:x:0;0:4:0'
  const places = new SourcePlaces('A', map, new Uint8Array(6).fill(0x5b), [file])
  for (let pc = 0; pc < 5; pc++) expect(places.at(pc)).toBeUndefined()
  expect(places.at(5)).toMatchObject({ line: 1, from: 0, to: 4 })
})

test('a place is a line of a file, counted in bytes', () => {
  const file = { id: 3, path: 'a.sol', content: '// größe\nuint a;\n  f(\n  1);\n' }
  const places = new SourcePlaces(
    'A',
    '11:6:3;21:7:3;0:1:9;11:6:-1',
    Uint8Array.of(0x5b, 0x60, 1, 0x5b, 0x5b),
    [file],
  )
  expect(places.at(0)).toEqual({ file, line: 2, lastLine: 2, from: 0, to: 6 })
  // It goes on in the next line, of which the first one's end is marked.
  expect(places.at(1)).toEqual({ file, line: 3, lastLine: 4, from: 2, to: 5 })
  expect(places.at(2)).toBeUndefined()
  // A file that was not given, code of the compiler, and places that the code does not have.
  for (const pc of [3, 4, 5, 100]) expect(places.at(pc)).toBeUndefined()
})
