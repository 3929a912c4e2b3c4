import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { createAccessToken } from '../service/accessToken.ts'
import { addSettingFlags } from './flags.ts'

/** Defines `perihelion token`, which prints a bearer token for private methods. */
export const define = (command: Command): void => {
  addSettingFlags(command, (flags) => {
    const { config } = loadConfig({ flags, env: process.env })
    process.stdout.write(`${createAccessToken(config.home, Date.now())}\n`)
  })
}
