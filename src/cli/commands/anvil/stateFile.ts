import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { badFile, badUsage } from '../../../base/exit.ts'
import { writeFileAtomically } from '../../../base/files/atomicFile.ts'
import type { Provider } from '../../../service/rpc/providerTypes.ts'
import type { AnvilFlags } from './flags.ts'
import { callForFlag } from './startActions.ts'

/** A file, and the flag that names it. */
interface StateFile {
  readonly flag: 'state' | 'load-state' | 'dump-state'
  readonly path: string
}

/** The files of `--state`, `--load-state` and `--dump-state`. */
export interface StateFiles {
  /** The file from which the state is loaded at the start. */
  readonly load: StateFile | undefined
  /** The file to which it is dumped, at an interval and at the end. */
  readonly dump: StateFile | undefined
  readonly intervalMs: number
}

const defaultIntervalMs = 60_000

/** Returns the file of a path, which may be a folder. */
const stateFileAt = (flag: StateFile['flag'], path: string | undefined): StateFile | undefined =>
  path === undefined
    ? undefined
    : { flag, path: existsSync(path) && statSync(path).isDirectory() ? join(path, 'state.json') : path }

export const readStateFlags = (flags: AnvilFlags): StateFiles => {
  const state = flags.get('state')
  const load = flags.get('load-state')
  const dump = flags.get('dump-state')
  if (state !== undefined && (load !== undefined || dump !== undefined))
    throw badUsage('--state cannot be used together with --load-state or --dump-state')
  const seconds = flags.get('state-interval')
  if (seconds !== undefined && !/^[1-9]\d{0,8}$/.test(seconds))
    throw badUsage(`--state-interval: got ${JSON.stringify(seconds)}, wanted a whole number of seconds`)
  if ((state ?? dump) !== undefined && flags.has('fork-url'))
    throw badUsage(
      `--${state === undefined ? 'dump-state' : 'state'} cannot be honoured with --fork-url: the state of a fork is not known as a whole.` +
        ' To keep a fork, use perihelion start --home DIR --fork-url URL',
    )
  const both = stateFileAt('state', state)
  return {
    load: stateFileAt('load-state', load) ?? (both !== undefined && existsSync(both.path) ? both : undefined),
    dump: stateFileAt('dump-state', dump) ?? both,
    intervalMs: seconds === undefined ? defaultIntervalMs : 1000 * Number(seconds),
  }
}

/** Loads the state of a file in anvil's format: JSON, also compressed. */
export const loadState = async (provider: Provider, { flag, path }: StateFile): Promise<void> => {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    throw badFile(`--${flag}: the state cannot be loaded: ${(error as Error).message}`)
  }
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  const dump = `0x${(isCompressed ? bytes : gzipSync(bytes)).toString('hex')}`
  await callForFlag(provider, `${flag} ${path}`, 'anvil_loadState', [dump])
}

/** Dumps the state to a file in anvil's format: JSON, not compressed. */
export const dumpState = async (provider: Provider, { flag, path }: StateFile): Promise<void> => {
  const dump = String(await callForFlag(provider, flag, 'anvil_dumpState', []))
  try {
    await writeFileAtomically(path, [gunzipSync(Buffer.from(dump.slice(2), 'hex'))])
  } catch (error) {
    throw badFile(`the state cannot be dumped to ${path}: ${(error as Error).message}`)
  }
}
