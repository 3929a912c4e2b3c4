import { methods } from '../src/api/methods.ts'
import { forks } from '../src/chain/config/forks.ts'
import { engines } from '../src/engine/engines.ts'
import { families } from '../src/gateway/families/families.ts'
import { namespacesOf } from '../src/rpc/dispatch/table.ts'

export const choiceNamesPath = 'src/config/gen/choiceNames.ts'

/** The names that settings offer as choices, each list with the file that it comes from. */
const lists: readonly (readonly [constant: string, source: string, names: readonly string[]])[] = [
  ['engineNames', 'src/engine/engines.ts', Object.keys(engines)],
  ['familyNames', 'src/gateway/families/families.ts', families.map(({ name }) => name)],
  ['forkNames', 'src/chain/config/forks.ts', forks],
  ['namespaces', 'src/api/methods.ts', namespacesOf(methods)],
]

/** Returns the module with the names: `src/config` imports no other folder, so they are written there. */
export const renderChoiceNames = (): string => {
  const constants = lists.map(([constant, source, names]) => {
    const items = names.map((name) => `'${name}'`).join(', ')
    return `/** From ${source}. */\nexport const ${constant} = [${items}] as const\n`
  })
  return `// Made by \`npm run generate\`.\n\n${constants.join('\n')}`
}
