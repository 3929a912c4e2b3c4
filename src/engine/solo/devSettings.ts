import { fromHex, toHex } from '../../base/encoding/hex.ts'
import type { BlockHeaderOverrides } from '../../chain/port/headerOverrides.ts'
import type { ClockSettings } from './blockClock.ts'

/** A state of the chain that can be reverted to. */
export interface Snapshot {
  readonly id: number
  readonly number: number
  readonly hash: Uint8Array
  /** The number of the newest change of its state from outside a block. */
  readonly edit: number
  /** The base fee that was set for the block after it. */
  readonly baseFee: bigint | undefined
}

/** What dev methods set and a restart keeps. */
export interface DevSettings {
  readonly clock: ClockSettings
  readonly snapshots: readonly Snapshot[]
  readonly nextSnapshot: number
  readonly impersonated: readonly Uint8Array[]
  readonly impersonatesAll: boolean
}

export const initialSettings: DevSettings = {
  clock: { offset: 0, interval: undefined },
  snapshots: [],
  nextSnapshot: 0,
  impersonated: [],
  impersonatesAll: false,
}

interface StoredSnapshot extends Omit<Snapshot, 'hash' | 'baseFee'> {
  readonly hash: string
  readonly baseFee?: string
}

interface StoredSettings extends Omit<DevSettings, 'snapshots' | 'impersonated'> {
  readonly snapshots: readonly StoredSnapshot[]
  readonly impersonated: readonly string[]
}

export const encodeSettings = (settings: DevSettings): string => {
  const stored: StoredSettings = {
    ...settings,
    snapshots: settings.snapshots.map(({ hash, baseFee, ...rest }) => ({
      ...rest,
      hash: toHex(hash),
      ...(baseFee === undefined ? {} : { baseFee: String(baseFee) }),
    })),
    impersonated: settings.impersonated.map(toHex),
  }
  return JSON.stringify(stored)
}

export const decodeSettings = (text: string): DevSettings => {
  const stored = JSON.parse(text) as StoredSettings // written by encodeSettings
  return {
    ...stored,
    clock: { offset: stored.clock.offset, interval: stored.clock.interval },
    snapshots: stored.snapshots.map(({ hash, baseFee, ...rest }) => ({
      ...rest,
      hash: fromHex(hash),
      baseFee: baseFee === undefined ? undefined : BigInt(baseFee),
    })),
    impersonated: stored.impersonated.map(fromHex),
  }
}

/** Returns the values of the next block that a snapshot restores. */
export const overridesOf = ({ baseFee }: Snapshot): BlockHeaderOverrides =>
  baseFee === undefined ? {} : { baseFee }
