import { badFile, type ExitCode, ExitError } from '../../base/exit.ts'
import { ResourceStack } from '../../base/resources.ts'
import { ThreadError } from '../../base/threads/threadRpc.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { ServedChain } from '../chain/servedChain.ts'
import type { ChainHost, OpenChain } from './startService.ts'

export interface ChainOpener {
  /** What is opened, for the log: `chain` or `gateway`. */
  readonly what: string
  /** The exit codes of errors that an operator can act on, by the name of the error. */
  readonly exitCodes: Readonly<Record<string, ExitCode>>
  open(config: Config, host: ChainHost, resources: ResourceStack): Promise<ServedChain>
}

/** Returns a function that opens a chain, closes everything again if that fails, and explains errors to the operator. */
export const createOpenChain =
  ({ what, exitCodes, open }: ChainOpener): OpenChain =>
  async (config, host) => {
    try {
      return await ResourceStack.guard(
        (resources) => open(config, host, resources),
        (error) => host.log.error({ err: error }, `a ${what} that did not open could not be closed`),
      )
    } catch (error) {
      throw toExitError(error, exitCodes)
    }
  }

/** The message of a system error, such as `EACCES: permission denied …`. */
const systemError = /^E[A-Z]+: |^(?:Is a directory|Permission denied)/

const toExitError = (error: unknown, exitCodes: ChainOpener['exitCodes']): unknown => {
  if (!(error instanceof Error)) return error
  const name = error instanceof ThreadError ? error.thrownName : error.name
  const code = Object.hasOwn(exitCodes, name) ? exitCodes[name] : undefined
  if (code !== undefined) return new ExitError(code, error.message)
  return systemError.test(error.message) ? badFile(`the home cannot be used: ${error.message}`) : error
}
