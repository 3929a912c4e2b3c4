import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { openGateway } from '../service/openGateway.ts'
import { takeSettings } from './flags.ts'
import { shortFlags } from './gatewayFlags.ts'
import { serveUntilStopped } from './serve.ts'

/** `perihelion gateway`: the Ethereum API in front of a chain that others run, until a signal ends it. */
export const register = (program: Command): void => {
  const command = program
    .command('gateway')
    .description('Serve JSON-RPC in front of the nodes of a Cosmos EVM chain')
  takeSettings(command, async (flags) => {
    const { config, given } = loadConfig({ flags: shortFlags(flags), env: process.env, purpose: 'gateway' })
    // The conveniences of development are for chains that are made here.
    await serveUntilStopped({ config: { ...config, dev: false }, given }, openGateway)
  })
}
