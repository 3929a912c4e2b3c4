import { fromHex, toHex } from '../../../base/encoding/hex.ts'
import type { BlockHeaderOverrides } from '../../../chain/port/headerOverrides.ts'
import type { ClockSettings } from '../blockClock.ts'
import type { StoredSnapshot } from './snapshots.ts'

/** What dev methods set and a restart keeps. */
export interface DevSettings {
  readonly clock: ClockSettings
  readonly nextSnapshot: number
  readonly impersonated: readonly Uint8Array[]
  readonly impersonatesAll: boolean
}

export const initialSettings: DevSettings = {
  clock: { offset: 0, interval: undefined },
  nextSnapshot: 0,
  impersonated: [],
  impersonatesAll: false,
}

interface StoredSettings extends Omit<DevSettings, 'impersonated'> {
  /** In homes of older versions. */
  readonly snapshots?: readonly StoredSnapshot[]
  readonly impersonated: readonly string[]
}

export const encodeSettings = (settings: DevSettings): string => {
  const stored: StoredSettings = {
    ...settings,
    impersonated: settings.impersonated.map(toHex),
  }
  return JSON.stringify(stored)
}

/** Returns the settings, and the snapshots that an older version stored with them. */
export const decodeSettings = (
  text: string,
): { readonly settings: DevSettings; readonly older: readonly StoredSnapshot[] } => {
  const { snapshots = [], ...stored } = JSON.parse(text) as StoredSettings // written by encodeSettings
  const settings = {
    ...stored,
    clock: { offset: stored.clock.offset, interval: stored.clock.interval },
    impersonated: stored.impersonated.map(fromHex),
  }
  return { settings, older: snapshots }
}

/** Returns the values of the next block that a snapshot restores, and that reverting blocks keeps. */
export const overridesOf = ({
  baseFee,
  gasLimit,
}: Pick<BlockHeaderOverrides, 'baseFee' | 'gasLimit'>): BlockHeaderOverrides => ({
  ...(baseFee !== undefined && { baseFee }),
  ...(gasLimit !== undefined && { gasLimit }),
})
