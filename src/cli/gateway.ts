import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { openGateway } from '../service/openGateway.ts'
import { addSettingFlags } from './flags.ts'
import { expandShortFlags } from './gatewayFlags.ts'
import { serveUntilStopped } from './serve.ts'

/** Registers `perihelion gateway`, which serves the Ethereum API for an external chain until a signal stops it. */
export const register = (program: Command): void => {
  const command = program
    .command('gateway')
    .description('Serve JSON-RPC in front of the nodes of a Cosmos EVM chain')
  addSettingFlags(command, async (flags) => {
    const { config, given } = loadConfig({
      flags: expandShortFlags(flags),
      env: process.env,
      purpose: 'gateway',
    })
    // The dev profile is only for chains of this process.
    await serveUntilStopped({ config: { ...config, dev: false }, given }, openGateway)
  })
}
