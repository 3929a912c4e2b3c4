import { createLightProvider, type LightProvider } from '../../src/provider/index.ts'
import type { LightNetwork } from './network.ts'
import type { Question } from './questions.ts'

/** A result, or the error in its place. */
export type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }

const answerOf = async (ask: () => Promise<unknown>): Promise<Answer> => {
  try {
    return { result: await ask() }
  } catch (error) {
    const { code, message, data } = error as { code: number; message: string; data?: unknown }
    if (typeof code !== 'number') throw error
    return { error: { code, message, ...(data === undefined ? {} : { data }) } }
  }
}

export const askProvider = (provider: LightProvider, [method, ...params]: Question): Promise<Answer> =>
  answerOf(() => provider.request({ method, params }))

/** What a client gets that believes the endpoint. */
export const askNode = async (url: string, [method, ...params]: Question): Promise<Answer> => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const reply = (await (await fetch(url, { method: 'POST', headers, body })).json()) as Answer & object
  return 'error' in reply ? { error: reply.error } : { result: reply.result }
}

/** A provider that begins with the trusted block of a network; the network may stand still meanwhile. */
export const openProvider = (
  { trust }: Pick<LightNetwork, 'trust'>,
  urls: readonly string[],
): LightProvider => createLightProvider({ urls, trust, maxAgeMs: 3_600_000, refreshMs: 60_000 })
