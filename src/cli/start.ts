import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { openChain } from '../service/openNode.ts'
import { takeSettings } from './flags.ts'
import { serveUntilStopped } from './serve.ts'

/** `perihelion start`: serves until a signal ends it. */
export const register = (program: Command): void => {
  takeSettings(program.command('start').description('Serve JSON-RPC until stopped'), async (flags) => {
    const { config, given } = loadConfig({ flags, env: process.env, purpose: 'node' })
    await serveUntilStopped(config, (_, log) => openChain(config, log, given))
  })
}
