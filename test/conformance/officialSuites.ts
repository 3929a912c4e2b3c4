import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the official suites are: beside the project where somebody has put them, else where `npm run fixtures` does. */

const beside = fileURLToPath(new URL('../../../shared/conformance/', import.meta.url))
const fetched = fileURLToPath(new URL('../fixtures/official/', import.meta.url))

const missing = (name: string): string => `${name} is not here: \`npm run fixtures\` gets it`
export const ethereumTestsMissing = missing('ethereum/tests')
export const executionApisMissing = missing('ethereum/execution-apis')

/** The folder of the API suite, whether it is there or not. */
export const executionApis = [beside, fetched]
  .map((folder) => join(folder, 'execution-apis'))
  .find((folder, index, all) => existsSync(folder) || index === all.length - 1) as string // the last one always is

const archive = join(beside, 'ethereum-tests.tar.xz')

/** The folder of ethereum/tests; undefined where it is neither beside the project nor in it. */
export const ethereumTests = (): string | undefined => {
  if (existsSync(archive)) return unpacked()
  const folder = join(fetched, 'ethereum-tests')
  return existsSync(folder) ? folder : undefined
}

/** The archive is unpacked once for each version of it. */
const unpacked = (): string => {
  const { size, mtimeMs } = statSync(archive)
  const folder = join(tmpdir(), `perihelion-ethereum-tests-${size}-${Math.floor(mtimeMs)}`)
  if (existsSync(folder)) return folder
  // Unpacked beside and renamed, so that another process never sees half of it.
  const fresh = mkdtempSync(`${folder}-`)
  execFileSync('tar', ['-xJf', archive, '-C', fresh])
  try {
    renameSync(fresh, folder)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** Every .json file below a folder, in one fixed order. */
export const jsonFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
