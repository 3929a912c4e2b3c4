import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { badFile } from '../../../base/exit.ts'
import { checkProgramVersion, engineVersion } from './version.ts'

/** Where programs are kept that were installed for this package; three folders above, from `src` and `dist` alike. */
const cacheFolder = fileURLToPath(new URL('../../../../.cache/', import.meta.url))
const installedProgram = join(cacheFolder, `cometbft-${engineVersion}`, 'cometbft')
const modulePath = `github.com/cometbft/cometbft/cmd/cometbft@v${engineVersion}`
const installTimeoutMs = 15 * 60_000

export interface ProgramOptions {
  /** Empty: the one on the path, the one that was installed before, or a new one by the Go toolchain. */
  readonly path: string
  /** Tells a person what takes its time, or is not as it should be. */
  readonly notify: (text: string) => void
}

/** Finds CometBFT, or installs it where Go is there, and checks its version. */
export const findProgram = async ({ path, notify }: ProgramOptions): Promise<string> => {
  const found = path !== '' ? path : (onPath('cometbft') ?? (await ensureInstalled(notify)))
  await checkProgramVersion(found, notify)
  return found
}

/** Installs it once into the cache; what is there is taken. */
const ensureInstalled = async (tell: (text: string) => void): Promise<string> => {
  if (existsSync(installedProgram)) return installedProgram
  if (onPath('go') === undefined)
    throw badFile(
      `CometBFT is not installed: name the program with --cometbft, or install Go, with which ${engineVersion} is built here`,
    )
  tell(`installing CometBFT ${engineVersion} with Go; this takes a few minutes, once`)
  const folder = join(cacheFolder, `cometbft-${engineVersion}`)
  mkdirSync(folder, { recursive: true })
  try {
    await promisify(execFile)('go', ['install', modulePath], {
      env: { ...process.env, GOBIN: folder, GOFLAGS: '-trimpath' },
      timeout: installTimeoutMs,
    })
  } catch (error) {
    throw badFile(
      `CometBFT cannot be installed: ${(error as { stderr?: string }).stderr ?? (error as Error).message}`,
    )
  }
  return installedProgram
}

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
