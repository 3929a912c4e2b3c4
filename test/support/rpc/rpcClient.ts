import { postJson } from '../clients.ts'

export interface RpcAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Calls over HTTP, one after the other. */
export interface RpcClient {
  readonly url: string
  /** The answer as it came, without its envelope. */
  send(method: string, params: readonly unknown[]): Promise<RpcAnswer>
  /** The result; an error is thrown. */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T>
  /** Calls that travel as one batch; their results, in their order. An error is thrown. */
  batch(calls: readonly { method: string; params: readonly unknown[] }[]): Promise<readonly unknown[]>
}

const resultOf = (method: string, { result, error }: RpcAnswer): unknown => {
  if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
  return result
}

export const createRpcClient = (url: string): RpcClient => {
  const send = async (method: string, params: readonly unknown[]): Promise<RpcAnswer> => {
    const text = await postJson(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const { result, error } = JSON.parse(text) as RpcAnswer
    return error === undefined ? { result } : { error }
  }
  return {
    url,
    send,
    call: async <T>(method: string, ...params: readonly unknown[]) =>
      resultOf(method, await send(method, params)) as T, // as the caller knows the method
    batch: async (calls) => {
      const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
      const answers = JSON.parse(await postJson(url, JSON.stringify(body))) as (RpcAnswer & { id: number })[]
      answers.sort((a, b) => a.id - b.id)
      return answers.map((answer, index) => resultOf(calls[index]?.method ?? 'batch', answer))
    },
  }
}
