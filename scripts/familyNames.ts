import { families } from '../src/gateway/families/families.ts'

export const familyNamesPath = 'src/config/gen/familyNames.ts'

/** Returns the names of the gateway's families, for the choices of a setting: `src/config` imports no other folder. */
export const writeFamilyNames = (): string =>
  [
    '// Made from src/gateway/families/families.ts by `npm run generate`.',
    'export const familyNames = [',
    ...families.map(({ name }) => `  '${name}',`),
    '] as const',
    '',
  ].join('\n')
