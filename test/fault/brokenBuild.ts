import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * A copy of the build in which one step of the commit is left out: state and block are written one after the other
 * instead of together. A test that does not find this finds nothing.
 */
export const makeBrokenBuild = (): { readonly mainFile: string; remove(): void } => {
  const folder = join(root, 'build', `broken-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  const file = join(folder, 'dist', 'app', 'application.js')
  const text = readFileSync(file, 'utf8')
  const whole = /transact\(\(\) => \{\s*state\.write\(\);\s*writeRows\(\);\s*\}\)/
  if (!whole.test(text)) throw new Error('the commit of application.js looks different: mend this control')
  const split =
    'transact(() => { state.write() }); await new Promise((resolve) => setTimeout(resolve, 20)); ' +
    'await this.#dependencies.environment.transact(() => { writeRows() })'
  writeFileSync(file, text.replace(whole, split))
  return {
    mainFile: join(folder, 'dist', 'cli', 'main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
