import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { badConfig, badFile } from '../../../base/exit.ts'
import { writeFileAtomicallySync } from '../../../base/files/atomicFile.ts'
import { errorCode } from '../../../base/files/writeAll.ts'

/** What CometBFT has signed last with the key of a home. It writes that before a signature leaves it. */
export interface SignState {
  readonly height: number
  readonly round: number
  /** 1 is a proposal, 2 a prevote, 3 a precommit. */
  readonly step: number
}

/** The last step of a round: nothing of the height is signed again in it. */
const lastStep = 3

/** Returns the path of the file below CometBFT's folder. */
export const signStatePath = (folder: string): string => join(folder, 'data', 'priv_validator_state.json')

/** Reads the file. Throws an ExitError if it is missing or damaged. */
export const readSignState = (path: string): SignState => {
  try {
    return parseSignState(readFileSync(path, 'utf8'))
  } catch (error) {
    const problem =
      errorCode(error) === 'ENOENT' ? 'is missing' : `cannot be read: ${(error as Error).message}`
    throw badFile(
      `${path} ${problem}: what this validator has signed is not known without it. Restore the newest one; where there is none and no other ` +
        'process has the key, `perihelion network sign-state --raise HEIGHT` with the height of the network writes one',
    )
  }
}

const parseSignState = (text: string): SignState => {
  const { height, round, step } = JSON.parse(text) as Readonly<Record<string, unknown>>
  const state = { height: Number(height), round: Number(round), step: Number(step) }
  if (!Object.values(state).every((value) => Number.isSafeInteger(value) && value >= 0))
    throw new Error('it has no height, round and step')
  return state
}

/**
 * Raises what counts as signed, so that nothing up to a height is signed again. Throws an ExitError for a height that is not
 * above what the file has: it is never lowered.
 */
export const raiseSignState = (path: string, height: number): SignState => {
  const before = existsSync(path) ? readSignState(path).height : -1
  if (height <= before) throw badConfig(`${path} has ${before}, and it is never lowered: got ${height}`)
  // Without the signature that it had, which belongs to the older height.
  const raised = { height, round: 0, step: lastStep }
  writeFileAtomicallySync(
    path,
    `${JSON.stringify({ ...raised, height: `${height}` }, undefined, 2)}\n`,
    0o600,
  )
  return raised
}
