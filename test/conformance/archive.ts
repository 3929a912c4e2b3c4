import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedPath } from '../support/sharedFiles.ts'

const archive = sharedPath('conformance/ethereum-tests.tar.xz')

export const archiveMissing = 'ethereum-tests.tar.xz is not beside the project (../shared/conformance)'

/** The folder of the official tests, unpacked once for each version of the archive; undefined without an archive. */
export const officialTests = (): string | undefined => {
  if (!existsSync(archive)) return undefined
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
