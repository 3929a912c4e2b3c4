import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Reads a fixture of lines of JSON. */
export const readLines = <Line>(name: string): readonly Line[] =>
  gunzipSync(readFileSync(new URL(`../../fixtures/light/${name}`, import.meta.url)))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
