import { toEnvironmentName } from './names.ts'

const byDatabase = 'gateways that share a database are a fleet: set gateway.database (docs/fleet.md)'

/**
 * Settings that are gone, with the default that the first start wrote into app.toml, which is passed over there, and what to
 * use in their place.
 */
const retired: Readonly<Record<string, { readonly default: unknown; readonly instead: string }>> = {
  'gateway.replica': { default: 0, instead: byDatabase },
  'gateway.peers': { default: [], instead: byDatabase },
  'gateway.peer-token': { default: '', instead: byDatabase },
}

/** Returns what to use in place of a setting that is gone; undefined if there was none of this name. */
export const retirementOf = (name: string): string | undefined => {
  const found = Object.hasOwn(retired, name) ? retired[name] : undefined
  return found && `is gone; ${found.instead}`
}

/** Returns what to use in place of a variable of a setting that is gone. */
export const retirementOfVariable = (variable: string): string | undefined => {
  const name = Object.keys(retired).find((known) => toEnvironmentName(known) === variable)
  return name === undefined ? undefined : retirementOf(name)
}

/** Returns whether a value in app.toml is the one that the first start wrote there for a setting that is gone. */
export const isRetiredDefault = (name: string, value: unknown): boolean =>
  Object.hasOwn(retired, name) &&
  JSON.stringify(value, bigintAsNumber) === JSON.stringify(retired[name]?.default)

const bigintAsNumber = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? Number(value) : value
