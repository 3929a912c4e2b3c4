import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { generatedFiles } from '../../scripts/generatedFiles.ts'

test.each(Object.entries(generatedFiles()))(
  '%s is fresh; `npm run generate` writes it anew',
  (path, content) => {
    expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8') === content).toBe(true)
  },
)
