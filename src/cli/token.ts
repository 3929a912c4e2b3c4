import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { createAccessToken } from '../service/accessToken.ts'
import { addSettingFlags } from './flags.ts'

/** Registers `perihelion token`, which prints a bearer token for private methods. */
export const register = (program: Command): void => {
  const about = 'Print a fresh bearer token for private methods; it can be used for a minute'
  addSettingFlags(program.command('token').description(about), (flags) => {
    const { config } = loadConfig({ flags, env: process.env })
    process.stdout.write(`${createAccessToken(config.home, Date.now())}\n`)
  })
}
