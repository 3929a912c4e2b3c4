import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sendIpc } from './clients.ts'
import { findSchemaViolation } from './schemas.ts'
import { startTestService } from './service.ts'
import { temporaryHome } from './testServer.ts'

export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface TestNode {
  /** Returns the result, which must match the OpenRPC document; throws the error of the call. */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Returns the error of a call that must fail. */
  failure(method: string, ...params: readonly unknown[]): Promise<RpcFailure>
  readonly http: string
  readonly ws: string
  readonly ipcPath: string
  /** Returns the number of call threads that have started. */
  callWorkers(): number
  /** The URLs of the transports: `http`, `ws`. */
  urls(): Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Starts a node in this process with the chain of a first start. It is called over IPC as the operator. */
export const startTestNode = async (...flags: readonly string[]): Promise<TestNode> => {
  const home = temporaryHome()
  const node = await startNodeAt(home, ...flags)
  return {
    ...node,
    close: async () => {
      await node.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Does the same in a home that is kept, so that the node can be started again. */
export const startNodeAt = async (home: string, ...flags: readonly string[]): Promise<TestNode> => {
  const service = await startTestService(home, { flags })
  const ipcPath = join(home, 'perihelion.ipc')
  const { http = '', ws = '' } = service.urls()
  const send = async (method: string, params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return JSON.parse(await sendIpc(ipcPath, body)) as {
      result?: unknown
      error?: RpcFailure
    }
  }
  return {
    call: async <T>(method: string, ...params: readonly unknown[]) => {
      const { result, error } = await send(method, params)
      if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
      const complaint = findSchemaViolation(method, result)
      if (complaint !== undefined) throw new Error(complaint)
      return result as T // checked by the schema
    },
    failure: async (method, ...params) => {
      const { result, error } = await send(method, params)
      if (error === undefined) throw new Error(`${method} gave ${JSON.stringify(result)}`)
      return error
    },
    http,
    ws,
    ipcPath,
    callWorkers: () => service.served.workerStats?.().call.workers ?? 0,
    urls: () => service.urls(),
    close: () => service.close(),
  }
}
