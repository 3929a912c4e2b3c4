import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

/** How official suites are brought into the project: from a folder that has them, or from their public repositories. */

export interface OfficialSuite {
  readonly name: string
  readonly repository: string
  readonly commit: string
  /** Where the suite is in its repository; empty where the repository is the suite. */
  readonly folder: string
}

export const officialSuites: readonly OfficialSuite[] = [
  {
    name: 'ethereum-tests',
    repository: 'https://github.com/ethereum/tests',
    commit: '9201075490807f58811078e9bb5ec895b4ac01a5', // v14.1
    folder: '',
  },
  {
    name: 'execution-apis',
    repository: 'https://github.com/ethereum/execution-apis',
    commit: '50d1e5e0b6f5a5046e45421e5c84497ab6e55e6c',
    folder: 'tests',
  },
]

/** Path in the suite → SHA-256: the files that tests read, as `sha256sum` writes them, compressed. */
export type Checksums = ReadonlyMap<string, string>

export const readChecksums = async (file: string): Promise<Checksums> => {
  const lines = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n')
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

/** The files that are not in the folder as they should be. */
export const findWrong = async (folder: string, checksums: Checksums): Promise<string[]> => {
  const wrong: string[] = []
  for (const [path, sum] of checksums) {
    const bytes = await readFile(join(folder, path)).catch(() => undefined)
    if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sum) wrong.push(path)
  }
  return wrong
}

const run = promisify(execFile)

/** Fills an empty folder with these files of the suite at least, and returns where the suite is. */
export type Source = (folder: string, paths: Iterable<string>) => Promise<string>

export const fromArchive =
  (archive: string): Source =>
  async (folder) => {
    await run('tar', ['-xJf', archive, '-C', folder])
    return folder
  }

export const fromFolder =
  (source: string): Source =>
  async () =>
    source

/** One commit without its history, and of its files only those that are requested. */
export const fromRepository =
  ({ repository, commit, folder: inside }: OfficialSuite): Source =>
  async (folder, paths) => {
    // Nobody is there to type a password, which is what a repository that is not there asks for.
    const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' }
    const git = (...args: readonly string[]) => run('git', ['-C', folder, ...args], { env })
    await git('init', '--quiet')
    await git('remote', 'add', 'origin', repository)
    await git('config', 'core.sparseCheckout', 'true')
    const patterns = [...paths].map((path) => `/${posix.join(inside, path)}\n`)
    await writeFile(join(folder, '.git', 'info', 'sparse-checkout'), patterns)
    await git('fetch', '--quiet', '--depth=1', '--filter=blob:none', 'origin', commit)
    await git('-c', 'advice.detachedHead=false', 'checkout', '--quiet', 'FETCH_HEAD')
    return join(folder, inside)
  }

/** Puts the files of the checksums at `target`, all of them and checked, or throws and leaves it as it was. */
export const placeSuite = async (target: string, checksums: Checksums, source: Source): Promise<void> => {
  await mkdir(dirname(target), { recursive: true })
  // On the same disk, so that it can be renamed: nobody ever sees half of it.
  const work = await mkdtemp(`${target}-`)
  try {
    const raw = join(work, 'raw')
    await mkdir(raw)
    const found = await source(raw, checksums.keys())
    const wrong = await findWrong(found, checksums)
    if (wrong.length > 0)
      throw new Error(
        `${wrong.length} of ${checksums.size} files are missing or not what they were: ${wrong[0]}`,
      )
    const fresh = join(work, 'fresh')
    for (const path of checksums.keys()) {
      await mkdir(dirname(join(fresh, path)), { recursive: true })
      await cp(join(found, path), join(fresh, path))
    }
    await rm(target, { recursive: true, force: true })
    await rename(fresh, target)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
