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

/** The files of `deploy/` that name an image by its version. */
export const deployFiles = (root: string): readonly string[] =>
  readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^Dockerfile$|\.(?:md|ya?ml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

/** An image of ours with its tag. */
export const imageTag = /\bperihelion:(\d+\.\d+\.\d+)/g

/** Gives the tree a version: package.json and its lock file, the images of `deploy/`, and the changelog's date. */
export const bump = (root: string, version: string, date: string): void => {
  const old = readVersion(root)
  change(join(root, 'package.json'), (text) => text.replace(`"version": "${old}"`, `"version": "${version}"`))
  change(join(root, 'package-lock.json'), (text) => {
    const lock = JSON.parse(text)
    lock.version = version
    lock.packages[''].version = version
    return `${JSON.stringify(lock, null, 2)}\n`
  })
  for (const file of deployFiles(root))
    change(file, (text) => text.replace(imageTag, `perihelion:${version}`))
  change(join(root, 'CHANGELOG.md'), (text) => {
    const heading = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - unreleased$`, 'm')
    if (!heading.test(text)) throw new Error(`CHANGELOG.md has no "## [${version}] - unreleased"`)
    return text.replace(heading, `## [${version}] - ${date.slice(0, 10)}`)
  })
}
