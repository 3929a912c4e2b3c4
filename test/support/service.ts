import type { ApiContext } from '../../src/api/context.ts'
import { createLogger } from '../../src/base/logging/log.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { Method } from '../../src/rpc/method.ts'
import { openNode } from '../../src/service/start/openNode.ts'
import { type OpenChain, type Service, startService } from '../../src/service/start/startService.ts'
import { isolatedFlags } from './program.ts'

export interface TestServiceOptions {
  readonly flags?: readonly string[]
  readonly open?: OpenChain
  /** Methods beside those of the program. */
  readonly methods?: readonly Method<ApiContext>[]
  /** Whether the dev profile is off, as for a gateway. */
  readonly isDev?: false
}

/** Starts the service of a home in this process, on free ports, without a log. */
export const startTestService = async (
  home: string,
  { flags = [], open = openNode, methods = [], isDev }: TestServiceOptions = {},
): Promise<Service> => {
  const { config, given } = loadConfig({ flags: [...isolatedFlags(home), ...flags] })
  return startService(
    { config: isDev === false ? { ...config, dev: false } : config, open, listen: 'all', methods },
    {
      log: createLogger('silent'),
      given,
      onFatal: (error) => {
        throw error
      },
      isInteractive: false,
    },
  )
}
