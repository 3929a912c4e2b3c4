import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package that ends up in ours: its parts are in our bundles, or npm installs it beside ours. */
export interface Material {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly isBundled: boolean
  /** The hash of the registry's archive, as package-lock.json has it. */
  readonly integrity: string | undefined
}

interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  readonly dev?: boolean
}

/** The title of a package in LICENCES.txt: name, version, licence. */
const title = /^(@?[a-z0-9][\w./-]*) (\d[\w.+-]*) \((.+)\)$/gm

/** Returns the packages whose parts are in the build, as its lists of licences name them. */
export const readBundled = (dist: string): readonly Pick<Material, 'name' | 'version' | 'license'>[] => {
  const lists = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?:^|[/\\])LICENCES[^/\\]*\.txt$/.test(file),
  )
  const found = lists.flatMap((file) => [...readFileSync(join(dist, file), 'utf8').matchAll(title)])
  const titles = new Map(found.map((match) => [`${match[1]} ${match[2]}`, match]))
  return [...titles.values()].map(([, name = '', version = '', license = '']) => ({ name, version, license }))
}

/** Returns every package that a user of ours runs: those in the bundles, and those that npm installs with it. */
export const readMaterials = (root: string): readonly Material[] => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>
  }
  const locked = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({ ...entry, name: path.replace(/^.*node_modules\//, '') }))
  const bundled = readBundled(join(root, 'dist')).map((found) => ({
    ...found,
    isBundled: true,
    integrity: locked.find(({ name, version }) => name === found.name && version === found.version)
      ?.integrity,
  }))
  const installed = locked
    .filter(({ dev }) => dev !== true)
    .map(({ name, version = '', license = 'NOASSERTION', integrity }) => ({
      ...{ name, version, license, integrity },
      isBundled: false,
    }))
  const isNew = ({ name, version }: Material) =>
    !bundled.some((known) => known.name === name && known.version === version)
  return [...bundled, ...installed.filter(isNew)].sort((a, b) => (a.name < b.name ? -1 : 1))
}
