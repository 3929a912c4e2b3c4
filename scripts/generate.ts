import { writeFileSync } from 'node:fs'
import { choiceNamesPath, renderChoiceNames } from './choiceNames.ts'

const write = (path: string, content: string): void =>
  writeFileSync(new URL(`../${path}`, import.meta.url), content)

// Writes the files that are made from the tables of methods, settings, engines and families: `npm run generate`. The names
// that settings offer come first, since the table of settings, which the others are made from, imports them.
write(choiceNamesPath, renderChoiceNames())
const { generatedFiles } = await import('./generatedFiles.ts')
for (const [path, content] of Object.entries(generatedFiles())) write(path, content)
