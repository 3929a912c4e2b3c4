/** A call of a test method as JSON. */
export const call = (method: string, params: readonly unknown[] = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** The result of the answer to such a call. */
export const resultOf = (answer: string): unknown => (JSON.parse(answer) as { result?: unknown }).result
