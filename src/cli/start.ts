import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { openNode } from '../service/openNode.ts'
import { addSettingFlags } from './flags.ts'
import { serveUntilStopped } from './serve.ts'

/** Registers `perihelion start`, which serves until a signal stops it. */
export const register = (program: Command): void => {
  addSettingFlags(program.command('start').description('Serve JSON-RPC until stopped'), async (flags) => {
    await serveUntilStopped(loadConfig({ flags, env: process.env, purpose: 'node' }), openNode)
  })
}
