// `npm run release -- VERSION [--dry-run] [--without-ci]`: makes the files of a release in build/release-VERSION, in a clone of
// the last commit, so that nothing that was changed since gets into them. Without --dry-run the new version, the changelog's date
// and what is generated from them are written to this tree too, for a person to look at and commit.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bump } from './bump.ts'
import { readMaterials } from './materials.ts'
import { type Artefact, billOfMaterials, provenance } from './statements.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    'without-ci': { type: 'boolean', default: false },
  },
})
const [version = ''] = positionals
if (!/^\d+\.\d+\.\d+$/.test(version)) {
  console.error('usage: npm run release -- VERSION [--dry-run] [--without-ci], VERSION like 0.2.0')
  process.exit(2)
}

const isDryRun = values['dry-run']
const folder = join(root, 'build', `release-${version}`)
const clone = join(folder, 'source')
const date = new Date().toISOString()

const step = (text: string): void => console.log(`== ${text} (${performance.now().toFixed(0)} ms)`)
const run = (program: string, ...args: readonly string[]): void => {
  execFileSync(program, args, { cwd: clone, stdio: ['ignore', 'inherit', 'inherit'] })
}
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

const changed = git('status', '--porcelain')
if (changed !== '') {
  if (!isDryRun) throw new Error(`commit or undo these first:\n${changed}`)
  console.log('what is not committed is not in this release')
}
const commit = git('rev-parse', 'HEAD')

step(`a clone of ${commit}`)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
git('clone', '--quiet', root, clone)

step(`version ${version}`)
bump(clone, version, date)
run('npm', 'ci', '--no-audit', '--no-fund')
run('npm', 'run', 'generate')

if (values['without-ci']) console.log('== the tests are left out (--without-ci)')
else {
  step('everything that must hold')
  run('bash', '.ci/run')
}

step('the package')
run('npm', 'run', 'build')
run('npm', 'pack', '--ignore-scripts', '--pack-destination', folder)

step('known weaknesses')
run('npm', 'run', 'audit')

step('the bill of materials, licences, checksums and provenance')
const release = { version, commit, date, materials: readMaterials(clone) }
const write = (file: string, text: string): void => writeFileSync(join(folder, file), text)
const writeJson = (file: string, value: unknown): void => write(file, `${JSON.stringify(value, null, 2)}\n`)
writeJson(`perihelion-${version}.cdx.json`, billOfMaterials(release))
const lists = ['LICENCES.txt', 'LICENCES-explorer.txt', 'light/LICENCES.txt']
write(
  'LICENCES.txt',
  lists.map((file) => readFileSync(join(clone, 'dist', file), 'utf8')).join(`\n${'='.repeat(80)}\n`),
)
run('git', 'diff', 'HEAD', '--output', join(folder, `version-${version}.patch`))
const artefacts: readonly Artefact[] = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => ({
    file: name,
    sha256: createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex'),
  }))
writeJson(
  `perihelion-${version}.provenance.json`,
  provenance(release, artefacts, readFileSync(join(clone, 'package-lock.json'))),
)
write('SHA256SUMS', artefacts.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join(''))
if (!isDryRun) git('apply', join(folder, `version-${version}.patch`))
rmSync(clone, { recursive: true, force: true })

console.log(`
${folder} has the release:
${[...artefacts.map(({ file }) => file), `perihelion-${version}.provenance.json`, 'SHA256SUMS'].map((file) => `  ${file}`).join('\n')}

What a person does now:
  1. ${isDryRun ? 'run this again without --dry-run' : 'look at `git diff`'}, then: git commit -am "release: ${version}" && git tag -s v${version} && git push --follow-tags
  2. sign the checksums: gpg --armor --detach-sign SHA256SUMS
  3. npm publish ${join(folder, `perihelion-${version}.tgz`)}
  4. put the files beside the tag, with the section of CHANGELOG.md as its text
  5. build and push the images as deploy/README.md says
`)
