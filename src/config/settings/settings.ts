import type { ValueOf } from '../kinds/kind.ts'
import { health, log, profiling } from './diagnostics.ts'
import { fork } from './fork.ts'
import { gateway } from './gateway.ts'
import { general } from './general.ts'
import { access } from './jsonRpc/access.ts'
import { answers } from './jsonRpc/answers.ts'
import { execution } from './jsonRpc/execution.ts'
import { transport } from './jsonRpc/transport.ts'
import type { Setting } from './setting.ts'
import { statesync } from './statesync.ts'
import { index, snapshot } from './storage.ts'
import { txpool } from './txpool.ts'

/** The entries of a section under their full names. */
type Named<Section extends string, Entries> = {
  readonly [Key in keyof Entries & string as `${Section}.${Key}`]: Entries[Key]
}

const section = <const Section extends string, Entries extends object>(
  name: Section,
  entries: Entries,
): Named<Section, Entries> =>
  // The cast is sound because the keys are those of the type, and the values are unchanged.
  Object.fromEntries(Object.entries(entries).map(([key, entry]) => [`${name}.${key}`, entry])) as Named<
    Section,
    Entries
  >

/**
 * Every setting, once. The key is its name everywhere: the flag `--json-rpc.address`, the variable
 * `PERIHELION_JSON_RPC_ADDRESS`, `address` in section `[json-rpc]` of app.toml, and `config.jsonRpc.address`.
 */
export const settings = Object.freeze({
  ...general,
  ...health,
  ...fork,
  ...section('index', index),
  ...section('snapshot', snapshot),
  ...section('statesync', statesync),
  ...section('log', log),
  ...section('txpool', txpool),
  ...section('profiling', profiling),
  ...section('gateway', gateway),
  ...section('json-rpc', { ...access, ...execution, ...answers, ...transport }),
})

export type SettingName = keyof typeof settings

/** The value of every setting under its name. */
export type SettingValues = { readonly [Name in SettingName]: ValueOf<(typeof settings)[Name]['kind']> }

/** Converts `trust-height` to `trustHeight`. */
type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type SectionOf<Name> = Name extends `${infer Section}.${string}` ? Section : never

type TopSettings = {
  readonly [Name in SettingName as Name extends `${string}.${string}`
    ? never
    : CamelCase<Name>]: SettingValues[Name]
}

type SectionSettings<Section extends string> = {
  readonly [Name in SettingName as Name extends `${Section}.${infer Key}`
    ? CamelCase<Key>
    : never]: SettingValues[Name]
}

/** The name of a section in `Config`. */
export type SectionName = CamelCase<SectionOf<SettingName>>

/** The effective value of every setting, by section: `json-rpc.gas-cap` is `config.jsonRpc.gasCap`. */
export type Config = TopSettings & {
  readonly [Section in SectionOf<SettingName> as CamelCase<Section>]: SectionSettings<Section>
}

export type JsonRpcSettings = Config['jsonRpc']

/** The entries of the table in order, for code that treats all settings alike. */
// The casts are sound because Object.keys of a frozen literal returns its keys, and each value belongs to the kind that
// parses and renders it.
export const settingEntries = Object.entries(settings) as unknown as readonly (readonly [
  SettingName,
  Setting<unknown>,
])[]
