import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { badConfig, badFile, type ExitError } from '../../../base/exit.ts'
import { writeFileAtomicallySync } from '../../../base/files/atomicFile.ts'
import { errorCode } from '../../../base/files/writeAll.ts'

/** What CometBFT has signed last with the key of a home. It writes that before a signature leaves it. */
export interface SignState {
  readonly height: number
  readonly round: number
  /** 1 is a proposal, 2 a prevote, 3 a precommit. */
  readonly step: number
}

/** The last step of the last round that CometBFT can read: with it nothing of the height is signed again. */
const lastRound = 2 ** 31 - 1
const lastStep = 3

/** Whether a step comes after another one. */
export const isLater = (step: SignState, other: SignState): boolean =>
  (step.height - other.height || step.round - other.round || step.step - other.step) > 0

/** Returns the path of the file below CometBFT's folder. */
export const signStatePath = (folder: string): string => join(folder, 'data', 'priv_validator_state.json')

/** Reads the file. Throws an ExitError if it is missing or damaged. */
export const readSignState = (path: string): SignState => {
  const text = readRecord(path)
  try {
    return parseSignState(text)
  } catch (error) {
    throw unknownState(path, error)
  }
}

/** Returns the signature that the file has, with what it is of; undefined if it has none. */
export const readRecordedSignature = (
  path: string,
): { readonly bytes: Uint8Array; readonly signature: Uint8Array } | undefined => {
  const { signature, signbytes } = JSON.parse(readRecord(path)) as Readonly<Record<string, unknown>>
  return typeof signature === 'string' && typeof signbytes === 'string'
    ? { bytes: Buffer.from(signbytes, 'hex'), signature: Buffer.from(signature, 'base64') }
    : undefined
}

/** Takes the signature of an older key out of the file, which holds for the key after it too. */
export const forgetSignature = (path: string): void => {
  const state = existsSync(path) ? parseIfWhole(readRecord(path)) : undefined
  if (state !== undefined) writeRecord(path, state)
}

/** Writes the file without a signature. */
const writeRecord = (path: string, state: SignState): void =>
  writeFileAtomicallySync(
    path,
    `${JSON.stringify({ ...state, height: `${state.height}` }, undefined, 2)}\n`,
    0o600,
  )

const readRecord = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unknownState(path, error)
  }
}

const unknownState = (path: string, error: unknown): ExitError => {
  const problem = errorCode(error) === 'ENOENT' ? 'is missing' : `cannot be read: ${(error as Error).message}`
  return badFile(
    `${path} ${problem}: what this validator has signed is not known without it. Restore the newest one; where there is none and no other ` +
      'process has the key, `perihelion network sign-state --raise HEIGHT` with the height of the network writes one',
  )
}

const parseSignState = (text: string): SignState => {
  const { height, round, step } = JSON.parse(text) as Readonly<Record<string, unknown>>
  const state = { height: Number(height), round: Number(round), step: Number(step) }
  if (!Object.values(state).every((value) => Number.isSafeInteger(value) && value >= 0))
    throw new Error('it has no height, round and step')
  return state
}

export interface RaisedState {
  readonly state: SignState
  /** Where a damaged record is kept that stood there; undefined if none did. */
  readonly damagedAt: string | undefined
}

/**
 * Raises what counts as signed, so that nothing up to a height is signed again. Throws an ExitError for a height that
 * the file has already: it is never lowered. A damaged file tells no height, and is kept under another name.
 */
export const raiseSignState = (path: string, height: number): RaisedState => {
  const text = existsSync(path) ? readRecord(path) : undefined
  const known = text === undefined ? undefined : parseIfWhole(text)
  const state = { height, round: lastRound, step: lastStep }
  if (known !== undefined && !isLater(state, known))
    throw badConfig(`${path} has height ${known.height}, which is never lowered: got ${height}`)
  const damagedAt = text === undefined || known !== undefined ? undefined : keepDamaged(path, text)
  // Without the signature that it had, which belongs to the older step.
  writeRecord(path, state)
  return { state, damagedAt }
}

/** Writes a damaged record under another name, which nothing has, and returns its path. */
const keepDamaged = (path: string, text: string): string => {
  const damagedAt = `${path}.damaged-${Date.now()}`
  writeFileSync(damagedAt, text, { mode: 0o600, flag: 'wx' })
  return damagedAt
}

const parseIfWhole = (text: string): SignState | undefined => {
  try {
    return parseSignState(text)
  } catch {
    return undefined
  }
}
