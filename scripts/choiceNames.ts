import { engines } from '../src/engine/engines.ts'
import { families } from '../src/gateway/families/families.ts'

export const choiceNamesPath = 'src/config/gen/choiceNames.ts'

const list = (constant: string, names: readonly string[]): readonly string[] => [
  `export const ${constant} = [${names.map((name) => `'${name}'`).join(', ')}] as const`,
]

/** Returns the names that settings offer as choices: `src/config` imports no other folder, so they are written there. */
export const renderChoiceNames = (): string =>
  [
    '// Made from src/engine/engines.ts and src/gateway/families/families.ts by `npm run generate`.',
    ...list('engineNames', Object.keys(engines)),
    ...list(
      'familyNames',
      families.map(({ name }) => name),
    ),
    '',
  ].join('\n')
