/** A call of a test method as JSON. */
export const toCallJson = (method: string, params: readonly unknown[] = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** The result of the answer to such a call. */
export const parseResult = (answer: string): unknown => (JSON.parse(answer) as { result?: unknown }).result
