import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { badFile } from '../../../base/exit.ts'
import { packageRoot } from '../../../base/packageRoot.ts'
import { checkProgramVersion, engineVersion } from './version.ts'

/** The folder of programs installed for this package. */
const cacheFolder = fileURLToPath(new URL('.cache/', packageRoot))
const installedProgram = join(cacheFolder, `cometbft-${engineVersion}`, 'cometbft')
const modulePath = `github.com/cometbft/cometbft/cmd/cometbft@v${engineVersion}`
const installTimeoutMs = 15 * 60_000

export interface ProgramOptions {
  /**
   * The path of the program. If empty, the one on the PATH, a previously installed one, or a new one built by the Go
   * toolchain is used.
   */
  readonly path: string
  /** Shows the operator a message about a slow step or a problem. */
  readonly notify: (text: string) => void
}

/** Finds CometBFT, or installs it if Go is available, and checks its version. */
export const findProgram = async ({ path, notify }: ProgramOptions): Promise<string> => {
  const found = locateProgram(path) ?? (await install(notify))
  await checkProgramVersion(found, notify)
  return found
}

/** Returns the CometBFT that a start would use; undefined if it would have to be installed first. */
export const locateProgram = (path: string): string | undefined => {
  if (path !== '') return path
  return onPath('cometbft') ?? (existsSync(installedProgram) ? installedProgram : undefined)
}

/** Returns whether CometBFT can be installed here. */
export const canInstall = (): boolean => onPath('go') !== undefined

/** Installs CometBFT once into the cache and returns its path. */
const install = async (notify: (text: string) => void): Promise<string> => {
  if (!canInstall())
    throw badFile(
      `CometBFT is not installed: name the program with --cometbft, or install Go, with which ${engineVersion} is built here`,
    )
  notify(`installing CometBFT ${engineVersion} with Go; this takes a few minutes, once`)
  const folder = join(cacheFolder, `cometbft-${engineVersion}`)
  try {
    mkdirSync(folder, { recursive: true })
    await promisify(execFile)('go', ['install', modulePath], {
      env: { ...process.env, GOBIN: folder, GOFLAGS: '-trimpath' },
      timeout: installTimeoutMs,
    })
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr || (error as Error).message
    throw badFile(
      `CometBFT cannot be installed: ${reason.trim()}: install it yourself (GOBIN=/usr/local/bin go install ${modulePath}), or name the program with --cometbft`,
    )
  }
  return installedProgram
}

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
