import { postJson } from '../clients.ts'

export interface RpcResponse {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A client that calls over HTTP. */
export interface RpcClient {
  readonly url: string
  /** Returns the result or the error of a call. */
  send(method: string, params: readonly unknown[]): Promise<RpcResponse>
  /** Returns the result of a call; throws its error. */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Sends calls as one batch and returns their results in order; throws the first error. */
  batch(calls: readonly { method: string; params: readonly unknown[] }[]): Promise<readonly unknown[]>
}

const resultOf = (method: string, { result, error }: RpcResponse): unknown => {
  if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
  return result
}

export const createRpcClient = (url: string): RpcClient => {
  const send = async (method: string, params: readonly unknown[]): Promise<RpcResponse> => {
    const text = await postJson(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(text) as RpcResponse
    return error === undefined ? { result } : { error }
  }
  return {
    url,
    send,
    call: async <T>(method: string, ...params: readonly unknown[]) =>
      resultOf(method, await send(method, params)) as T, // the caller knows the type of the result
    batch: async (calls) => {
      const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
      const responses = JSON.parse(await postJson(url, JSON.stringify(body))) as (RpcResponse & {
        id: number
      })[]
      responses.sort((a, b) => a.id - b.id)
      return responses.map((response, index) => resultOf(calls[index]?.method ?? 'batch', response))
    },
  }
}
