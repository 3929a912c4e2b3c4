import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sendIpc } from './clients.ts'
import { complaintAbout } from './schemas.ts'
import { startTestService } from './service.ts'
import { temporaryHome } from './testServer.ts'

export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export interface TestNode {
  /** The result, which must be what the OpenRPC document promises; an error is thrown. */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  /** The error of a call that must fail. */
  failure(method: string, ...params: readonly unknown[]): Promise<RpcFailure>
  readonly http: string
  readonly ws: string
  readonly ipcPath: string
  /** How many threads for calls have started. */
  callWorkers(): number
  /** Where it is served: `http`, `ws`. */
  urls(): Readonly<Record<string, string>>
  close(): Promise<void>
}

/** A whole node in this process: the chain of a first start, called over IPC as its operator. */
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

/** The same in a home that stays, so that it can be started again. */
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
      const complaint = complaintAbout(method, result)
      if (complaint !== undefined) throw new Error(complaint)
      return result as T // as the schema says
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
