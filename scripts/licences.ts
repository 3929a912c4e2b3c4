import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the folder of the package that a bundled module comes from; undefined for a module of ours. */
const packageFolder = (module: string): string | undefined =>
  /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module.replaceAll('\\', '/'))?.[1]

/** Returns the licences of the packages that are bundled, as these ask for. */
export const licences = (modules: readonly string[]): string => {
  const packages = [...new Set(modules.map(packageFolder).filter((folder) => folder !== undefined))].sort()
  const texts = packages.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    return `${name} ${version} (${license})\n${text}`
  })
  return `The bundles hold parts of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n`)}`
}
