import { mkdirSync } from 'node:fs'
import { methods } from '../../../src/api/methods.ts'
import { createLogger } from '../../../src/base/log.ts'
import { openGateway } from '../../../src/cli/gateway.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { namespacesOf } from '../../../src/rpc/dispatch/table.ts'
import type { RunningChain } from '../../../src/service/runningChain.ts'
import { createService, prepareDoors, type Service } from '../../../src/service/service.ts'
import { postJson } from '../../support/clients.ts'
import { ownPorts } from '../../support/program.ts'

export interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface ServedGateway {
  readonly running: RunningChain
  readonly service: Service
  readonly http: string
  ask(method: string, params: readonly unknown[], headers?: Record<string, string>): Promise<RpcAnswer>
  /** The result; throws where there is none. */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  close(): Promise<void>
}

/** A gateway with its real service, in this process. */
export const serveGateway = async (home: string, flags: readonly string[]): Promise<ServedGateway> => {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  // Nothing is off.
  const api = namespacesOf(methods)
  const { config } = loadConfig({
    flags: [...ownPorts(home), '--lightkdf', `--json-rpc.api=${api.join(',')}`, ...flags],
    env: {},
  })
  const log = createLogger('silent')
  const running = await openGateway({ ...config, dev: false }, log)
  const service = createService(
    { ...config, dev: false },
    log,
    running,
    prepareDoors({ ...config, dev: false }),
  )
  await service.start()
  const { http = '' } = service.urls()
  const ask = async (method: string, params: readonly unknown[], headers: Record<string, string> = {}) =>
    JSON.parse(
      await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers),
    ) as RpcAnswer
  return {
    running,
    service,
    http,
    ask,
    call: async <T>(method: string, ...params: readonly unknown[]) => {
      const { result, error } = await ask(method, params)
      if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
      return result as T
    },
    close: async () => {
      await service.close()
      await running.close()
    },
  }
}
