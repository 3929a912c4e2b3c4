import { writeFileSync } from 'node:fs'
import { generatedFiles } from './generatedFiles.ts'

// Writes the files that are made from the tables of methods and settings: `npm run generate`.
for (const [path, content] of Object.entries(generatedFiles())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), content)
}
