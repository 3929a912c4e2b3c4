// `npm run audit`: known weaknesses of what a user of ours runs, bundled or installed. Those of the tools that only build and test
// are left out. It fails from severity "high" on, and says so where the registry does not answer such requests.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findWeaknesses } from './findWeaknesses.ts'
import { readMaterials } from './materials.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: root, encoding: 'utf8' })
const found = findWeaknesses(
  stdout,
  readMaterials(root).map(({ name }) => name),
)
if ('away' in found) console.log(`NOT AUDITED: the registry does not answer: ${found.away}`)
else {
  for (const { name, severity, title } of found.weaknesses) console.log(`${severity}: ${name}: ${title}`)
  const grave = found.weaknesses.filter(({ severity }) => severity === 'high' || severity === 'critical')
  console.log(`${found.weaknesses.length} known weaknesses, ${grave.length} of them high or critical`)
  if (grave.length > 0) process.exitCode = 1
}
