import { loadConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'

/** Returns the settings as for a start: those of the given home, or of the one that the environment names. */
export const configOf = (home: string | undefined): Config =>
  loadConfig({ flags: home === undefined ? [] : [`--home=${home}`], env: process.env }).config
