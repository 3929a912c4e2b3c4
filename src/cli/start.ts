import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { openNode } from '../service/openNode.ts'
import { takeSettings } from './flags.ts'
import { serveUntilStopped } from './serve.ts'

/** `perihelion start`: serves until a signal ends it. */
export const register = (program: Command): void => {
  takeSettings(program.command('start').description('Serve JSON-RPC until stopped'), async (flags) => {
    await serveUntilStopped(loadConfig({ flags, env: process.env, purpose: 'node' }), openNode)
  })
}
