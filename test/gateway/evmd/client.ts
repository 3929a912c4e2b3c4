import { postJson } from '../../support/clients.ts'

/** What a server says to a call: one of both. */
export interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface Client {
  ask(method: string, ...params: readonly unknown[]): Promise<Answer>
  call<T>(method: string, ...params: readonly unknown[]): Promise<T>
}

export const createClient = (url: string): Client => {
  const ask = async (method: string, ...params: readonly unknown[]): Promise<Answer> =>
    JSON.parse(await postJson(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
  return {
    ask,
    call: async <T>(method: string, ...params: readonly unknown[]) => {
      const { result, error } = await ask(method, ...params)
      if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
      return result as T // as the method has it
    },
  }
}
