import type { Command } from 'commander'
import { badUsage } from '../../base/exit.ts'
import { loadConfig } from '../../config/load.ts'
import { createApiKey } from '../../service/access/apiKey.ts'
import { addSettingFlags } from '../flags/flags.ts'
import { print } from '../output/print.ts'

const help = `
The key is printed once and stored as a hash. Its rate, burst, namespaces and costs are edited in the file of
--json-rpc.keys, which is read when the node starts, and again when it gets SIGHUP (kill -HUP).
`

/** Defines `perihelion key <name>`, which adds an API key to the file of `--json-rpc.keys` and prints it. */
export const define = (command: Command): void => {
  addSettingFlags(command, ([name, ...flags]) => {
    if (name === undefined || name.startsWith('-')) throw badUsage('which key? perihelion key <name>')
    const { config } = loadConfig({ flags, env: process.env })
    print`${createApiKey(config, name)}\n`
  })
  command.usage('<name> [settings]').addHelpText('before', help)
}
