import { readFileSync } from 'node:fs'

const packageFile = new URL('../../package.json', import.meta.url)

/** The version of the package: the one place where it is written. */
export const version: string = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version

/** What the program calls itself: name, version, system and runtime. */
export const clientVersion = `perihelion/v${version}/${process.platform}-${process.arch}/node${process.versions.node}`
