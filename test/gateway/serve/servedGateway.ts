import { methods } from '../../../src/api/methods.ts'
import { namespacesOf } from '../../../src/rpc/dispatch/table.ts'
import type { ServedChain } from '../../../src/service/chain/servedChain.ts'
import { openGateway } from '../../../src/service/start/openGateway.ts'
import type { Service } from '../../../src/service/start/startService.ts'
import { postJson } from '../../support/clients.ts'
import { startTestService } from '../../support/service.ts'

export interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface ServedGateway {
  readonly running: ServedChain
  readonly service: Service
  readonly http: string
  ask(method: string, params: readonly unknown[], headers?: Record<string, string>): Promise<RpcAnswer>
  /** The result; throws where there is none. */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  close(): Promise<void>
}

/** A gateway with its real service, in this process. */
export const serveGateway = async (home: string, flags: readonly string[]): Promise<ServedGateway> => {
  // Nothing is off.
  const api = namespacesOf(methods)
  const service = await startTestService(home, {
    flags: ['--lightkdf', `--json-rpc.api=${api.join(',')}`, ...flags],
    open: openGateway,
    isDev: false,
  })
  const { http = '' } = service.urls()
  const ask = async (method: string, params: readonly unknown[], headers: Record<string, string> = {}) =>
    JSON.parse(
      await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers),
    ) as RpcAnswer
  return {
    running: service.served,
    service,
    http,
    ask,
    call: async <T>(method: string, ...params: readonly unknown[]) => {
      const { result, error } = await ask(method, params)
      if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
      return result as T
    },
    close: () => service.close(),
  }
}
