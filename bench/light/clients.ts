import { createLightProvider, type Fetch } from '../../src/provider/index.ts'

/** A client of an endpoint, and how many bytes of responses it has read. */
export interface Client {
  request(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** Returns the newest block. */
  head(): Promise<number>
  readonly bytes: () => number
  close(): Promise<void>
}

export interface Trust {
  readonly height: number
  readonly hash: string
}

const headers = { 'content-type': 'application/json' }

const counting = (ask: Fetch): { readonly fetch: Fetch; readonly bytes: () => number } => {
  let bytes = 0
  return {
    bytes: () => bytes,
    fetch: async (url, init) => {
      const text = await (await ask(url, init)).text()
      bytes += text.length
      return new Response(text)
    },
  }
}

/** A client that proves everything. Its head is the newest for `refreshMs`. */
export const openProven = (url: string, trust: Trust, refreshMs: number, ask: Fetch = fetch): Client => {
  const counted = counting(ask)
  const provider = createLightProvider({
    urls: [url],
    trust,
    fetch: counted.fetch,
    refreshMs,
    maxAgeMs: 60_000,
  })
  return {
    bytes: counted.bytes,
    request: (method, ...params) => provider.request({ method, params }),
    head: async () => (await provider.head()).number,
    close: () => provider.close(),
  }
}

/** A client that believes what it gets. */
export const openBelieving = (url: string): Client => {
  const counted = counting(fetch)
  const request: Client['request'] = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const reply = (await (await counted.fetch(url, { method: 'POST', headers, body })).json()) as {
      readonly result?: unknown
      readonly error?: { readonly message: string }
    }
    if (reply.error !== undefined) throw new Error(reply.error.message)
    return reply.result
  }
  return {
    bytes: counted.bytes,
    request,
    head: async () => Number(await request('eth_blockNumber')),
    close: async () => {},
  }
}
