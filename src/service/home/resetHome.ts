import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { badFile } from '../../base/exit.ts'
import { writeFileAtomicallySync } from '../../base/files/atomicFile.ts'
import { dataFile, modePath } from '../../home/layout.ts'
import { equalModes, type HomeMode, writeHomeMode } from '../../home/mode.ts'

/** CometBFT's record of what a validator signed: without it, it could sign a height a second time. */
const signingRecord = 'priv_validator_state.json'
/** The record of a key that has signed nothing. CometBFT does not start without the file. */
const emptyRecord = `${JSON.stringify({ height: '0', round: 0, step: 0 }, undefined, 2)}\n`

export interface ResetPlan {
  /** The files and folders that are removed, with their sizes in bytes. */
  readonly removed: readonly { readonly path: string; readonly bytes: number }[]
  /** The record of signatures; undefined if the home has none. */
  readonly record: { readonly path: string; readonly height: number; readonly isCleared: boolean } | undefined
  /** What the home is from then on; undefined if that does not change. */
  readonly mode: { readonly home: string; readonly next: HomeMode } | undefined
}

export interface ResetOptions {
  readonly home: string
  /** Files to keep wherever they are, such as the genesis. */
  readonly kept: readonly string[]
  /** Whether the record of signatures starts over too. */
  readonly clearsRecord: boolean
  /** What the home is: as its file says, or as its chain tells where it has none. */
  readonly mode: { readonly recorded: HomeMode | undefined; readonly found: HomeMode | undefined }
}

/** Returns what a reset removes: the chain's data, not keys, settings or genesis. Throws if the folder is not a home. */
export const planReset = ({ home, kept, clearsRecord, mode }: ResetOptions): ResetPlan => {
  const engineData = join(home, 'engine', 'data')
  const marks = [
    modePath(home),
    dataFile(home),
    join(home, 'config', 'app.toml'),
    join(home, 'engine', 'config'),
  ]
  const isHome = marks.some((path) => existsSync(path))
  if (!isHome) throw badFile(`${home} is not the home of a node: nothing is removed`)
  const recordPath = join(engineData, signingRecord)
  const keptPaths = [recordPath, ...kept.map((path) => resolve(path))]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path))
  // The folders stay: they may be links to another disk.
  const paths = [join(home, 'data'), engineData, join(home, 'tmp')].flatMap((folder) =>
    removable(folder, keptPaths),
  )
  return {
    removed: paths.map((path) => ({ path, bytes: sizeOf(path) })),
    record: existsSync(recordPath)
      ? { path: recordPath, height: recordedHeight(recordPath), isCleared: clearsRecord }
      : undefined,
    mode: planMode(home, mode),
  }
}

/**
 * A home whose chain was not the dev chain keeps its engine, and never becomes a dev chain by itself; which genesis it begins
 * with is open again. What is a dev chain has nothing to keep: without a chain it binds nobody.
 */
const planMode = (home: string, { recorded, found }: ResetOptions['mode']): ResetPlan['mode'] => {
  const { engine, dev } = recorded ?? found ?? {}
  if (dev !== false) return undefined
  const next = { ...(engine === undefined ? {} : { engine }), dev }
  return recorded !== undefined && equalModes(recorded, next) ? undefined : { home, next }
}

/** Carries a plan out. An interrupted plan can be made and carried out again. */
export const carryOut = (
  { removed, record, mode }: ResetPlan,
  onRemoved: (path: string, bytes: number) => void,
): void => {
  try {
    // First: without its chain a home of an older version does not tell any more what it is.
    if (mode !== undefined) writeHomeMode(mode.home, mode.next)
    for (const { path, bytes } of removed) {
      rmSync(path, { recursive: true, force: true })
      onRemoved(path, bytes)
    }
    // Last: while there are blocks of the old chain the record belongs to them.
    if (record?.isCleared) writeFileAtomicallySync(record.path, emptyRecord, 0o600)
  } catch (error) {
    throw badFile(`the reset is not complete, run it again: ${(error as Error).message}`)
  }
}

/** Returns what is in a folder and may go; of a folder that has something to keep in it, the rest. */
const removable = (folder: string, kept: readonly string[]): readonly string[] => {
  if (!existsSync(folder)) return []
  const real = realpathSync(folder)
  return readdirSync(real).flatMap((name) => {
    const path = join(real, name)
    if (kept.includes(path)) return []
    return kept.some((other) => other.startsWith(path + sep)) ? removable(path, kept) : [path]
  })
}

const sizeOf = (path: string): number => {
  const found = lstatSync(path)
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
}

const recordedHeight = (path: string): number => {
  try {
    return Number((JSON.parse(readFileSync(path, 'utf8')) as { readonly height?: string }).height ?? 0)
  } catch (error) {
    throw badFile(`${path} cannot be read: ${(error as Error).message}`)
  }
}
