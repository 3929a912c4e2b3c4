import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { loadSecret } from '../rpc/access/secret.ts'
import { createToken } from '../rpc/access/token.ts'
import { ensureHome } from '../service/home.ts'
import { takeSettings } from './flags.ts'

/** `perihelion token`: a bearer token for private methods. */
export const register = (program: Command): void => {
  const about = 'Print a fresh bearer token for private methods; it can be used for a minute'
  takeSettings(program.command('token').description(about), (flags) => {
    const { config } = loadConfig({ flags, env: process.env })
    ensureHome(config.home)
    process.stdout.write(`${createToken(loadSecret(config.home), Date.now())}\n`)
  })
}
