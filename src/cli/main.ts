#!/usr/bin/env node
import { Command } from 'commander'
import { ExitError, exitCodes } from '../base/exit.ts'
import { version } from '../base/version.ts'
import { ConfigError } from '../config/configError.ts'
import { register as registerAccount } from './account/account.ts'
import { register as registerConfig } from './config.ts'
import { register as registerDb } from './db.ts'
import { register as registerEvm } from './evm.ts'
import { register as registerExport } from './export.ts'
import { register as registerGateway } from './gateway.ts'
import { register as registerImport } from './import/import.ts'
import { register as registerRollback } from './rollback.ts'
import { register as registerStart } from './start.ts'
import { register as registerTestnet } from './testnet/testnet.ts'
import { register as registerToken } from './token.ts'

const program = new Command('perihelion')
  .description('An Ethereum JSON-RPC node service for chains that run on CometBFT')
  .version(version)

registerStart(program)
registerGateway(program)
registerTestnet(program)
registerToken(program)
registerAccount(program)
registerConfig(program)
registerDb(program)
registerEvm(program)
registerImport(program)
registerExport(program)
registerRollback(program)
program
  .command('version')
  .description('Print the version')
  .action(() => {
    process.stdout.write(`${version}\n`)
  })

/** Describes an error: one line if an operator can act on it, otherwise a stack, because it is a bug. */
const describeError = (error: unknown): { code: number; text: string } => {
  if (error instanceof ConfigError) return { code: exitCodes.badConfig, text: error.message }
  if (error instanceof ExitError) return { code: error.exitCode, text: error.message }
  return {
    code: exitCodes.internal,
    text: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }
}

try {
  await program.parseAsync()
} catch (error) {
  const { code, text } = describeError(error)
  process.stderr.write(`perihelion: ${text}\n`)
  process.exitCode = code
}
