import { writeFileSync } from 'node:fs'
import { choiceNameFiles } from './choiceNames.ts'

const writeAll = (files: Readonly<Record<string, string>>): void => {
  for (const [path, content] of Object.entries(files))
    writeFileSync(new URL(`../${path}`, import.meta.url), content)
}

// Writes the files that are made from the tables of methods, settings, engines and families: `npm run generate`. The names
// that settings offer come first, since the table of settings, which the others are made from, imports them.
writeAll(choiceNameFiles())
const { generatedFiles } = await import('./generatedFiles.ts')
writeAll(generatedFiles())
