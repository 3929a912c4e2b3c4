import { methods } from '../src/api/methods.ts'
import { forks } from '../src/chain/config/forks.ts'
import { engines } from '../src/engine/engines.ts'
import { families } from '../src/families/families.ts'
import { namespacesOf } from '../src/rpc/dispatch/table.ts'

type NameList = readonly [constant: string, source: string, names: readonly string[]]

const homePath = 'src/home/gen/engineNames.ts'
const configPath = 'src/config/gen/choiceNames.ts'

const render = (lists: readonly NameList[]): string => {
  const constants = lists.map(([constant, source, names]) => {
    const items = names.map((name) => `'${name}'`).join(', ')
    return `/** From ${source}. */\nexport const ${constant} = [${items}] as const\n`
  })
  return `// Made by \`npm run generate\`.\n\n${constants.join('\n')}`
}

/**
 * Returns the modules with the names that settings and the mode of a home offer as choices: `src/config` and `src/home` may
 * not import the tables that the names come from.
 */
export const choiceNameFiles = (): Readonly<Record<string, string>> => ({
  [homePath]: render([['engineNames', 'src/engine/engines.ts', Object.keys(engines)]]),
  [configPath]: render([
    ['familyNames', 'src/families/families.ts', families.map(({ name }) => name)],
    ['forkNames', 'src/chain/config/forks.ts', forks],
    ['namespaces', 'src/api/methods.ts', namespacesOf(methods)],
  ]),
})
