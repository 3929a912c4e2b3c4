/** Returns a call of a test method as JSON. */
export const toCallJson = (method: string, params: readonly unknown[] = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** Returns the result of the response to such a call. */
export const parseResult = (response: string): unknown =>
  (JSON.parse(response) as { result?: unknown }).result
