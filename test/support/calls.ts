/** A call of a test method as JSON. */
export const call = (method: string, params: readonly unknown[] = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** The result of the answer to such a call. */
export const resultOf = (answer: string): unknown => (JSON.parse(answer) as { result?: unknown }).result

/** Tries until the condition holds; for effects that have no event of their own. */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> => {
  const deadline = Date.now() + withinMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not so within ${withinMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
