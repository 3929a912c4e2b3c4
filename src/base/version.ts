import { readFileSync } from 'node:fs'
import { packageRoot } from './packageRoot.ts'

const packageFile = new URL('package.json', packageRoot)

/** The version in package.json, the only place where it is written. */
export const version: string = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version

/** The client version that the program reports: name, version, system and runtime. */
export const clientVersion = `perihelion/v${version}/${process.platform}-${process.arch}/node${process.versions.node}`
