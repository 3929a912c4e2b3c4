import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const change = (file: string, edit: (text: string) => string): void => {
  const before = readFileSync(file, 'utf8')
  const after = edit(before)
  if (after !== before) writeFileSync(file, after)
}

/** The version of the tree. package.json is the place where it is written; what else shows it follows from there. */
export const readVersion = (root: string): string =>
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

/** The files that name an image or a package file by its version. */
export const versionedFiles = (root: string): readonly string[] =>
  ['deploy', 'docs', 'examples']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /^Dockerfile$|\.(?:md|ya?ml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

/** An image of ours with its tag, or the file of a package: what is before the version, and the version. */
export const namedVersion = /\b(perihelion:|perihelion-(?=\d+\.\d+\.\d+\.tgz))(\d+\.\d+\.\d+)/g

/** Gives the tree a version: package.json and its lock file, images and package files that pages name, and the changelog's date. */
export const bump = (root: string, version: string, date: string): void => {
  const old = readVersion(root)
  change(join(root, 'package.json'), (text) => text.replace(`"version": "${old}"`, `"version": "${version}"`))
  change(join(root, 'package-lock.json'), (text) => {
    const lock = JSON.parse(text)
    lock.version = version
    lock.packages[''].version = version
    return `${JSON.stringify(lock, null, 2)}\n`
  })
  for (const file of versionedFiles(root)) change(file, (text) => text.replace(namedVersion, `$1${version}`))
  change(join(root, 'CHANGELOG.md'), (text) => {
    const heading = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - unreleased$`, 'm')
    if (!heading.test(text)) throw new Error(`CHANGELOG.md has no "## [${version}] - unreleased"`)
    return text.replace(heading, `## [${version}] - ${date.slice(0, 10)}`)
  })
}
