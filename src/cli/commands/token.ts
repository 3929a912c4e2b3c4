import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { badFile } from '../../base/exit.ts'
import { loadConfig } from '../../config/load.ts'
import { createAccessToken } from '../../service/access/accessToken.ts'
import { addSettingFlags } from '../flags/flags.ts'
import { print } from '../output/print.ts'

/** Defines `perihelion token`, which prints a bearer token for private methods. */
export const define = (command: Command): void => {
  addSettingFlags(command, (flags) => {
    const { config } = loadConfig({ flags, env: process.env })
    // A token of a secret that is made now would open no node.
    if (!existsSync(config.home)) throw badFile(`${config.home} does not exist: no node uses it`)
    print`${createAccessToken(config.home, Date.now())}\n`
  })
}
