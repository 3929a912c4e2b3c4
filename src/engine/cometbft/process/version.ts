import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { badFile } from '../../../base/exit.ts'

/** The version that is installed by default. */
export const engineVersion = '0.38.26'
/** Older versions have a critical vulnerability, CSA-2026-001. */
const minVersion = [0, 38, 21] as const

const parseVersion = (text: string): readonly [number, number, number] | undefined => {
  const found = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text.trim())
  return found ? [Number(found[1]), Number(found[2]), Number(found[3])] : undefined
}

const isBelow = (version: readonly number[], other: readonly number[]): boolean => {
  const at = version.findIndex((part, index) => part !== other[index])
  return at >= 0 && (version[at] as number) < (other[at] as number)
}

export type VersionCheck =
  | { readonly kind: 'good' }
  | { readonly kind: 'old'; readonly warning: string }
  | { readonly kind: 'refused'; readonly reason: string }

/** Checks whether a version of CometBFT can be used. */
export const checkVersion = (text: string): VersionCheck => {
  const version = parseVersion(text)
  const wanted = `wanted CometBFT 0.38 from ${minVersion.join('.')} on`
  if (version === undefined)
    return { kind: 'refused', reason: `${wanted}, got ${JSON.stringify(text.trim())}` }
  const shown = version.join('.')
  if (version[0] !== 0 || version[1] !== 38) return { kind: 'refused', reason: `${wanted}, got ${shown}` }
  if (isBelow(version, minVersion)) {
    const reason = `${wanted}: ${shown} has a critical hole (CSA-2026-001); install ${engineVersion}`
    return { kind: 'refused', reason }
  }
  return isBelow(version, parseVersion(engineVersion) as readonly number[]) // a constant that parses
    ? { kind: 'old', warning: `CometBFT ${shown} is not the newest of its line; ${engineVersion} is tested` }
    : { kind: 'good' }
}

/** Checks the version of a CometBFT program. Warns about an old one and throws for a vulnerable one. */
export const checkProgramVersion = async (path: string, warn: (text: string) => void): Promise<void> => {
  let text: string
  try {
    text = (await promisify(execFile)(path, ['version'], { timeout: 20_000 })).stdout
  } catch (error) {
    throw badFile(`CometBFT cannot be run at ${path}: ${(error as Error).message}`)
  }
  const check = checkVersion(text)
  if (check.kind === 'refused') throw badFile(`${path}: ${check.reason}`)
  if (check.kind === 'old') warn(check.warning)
}
