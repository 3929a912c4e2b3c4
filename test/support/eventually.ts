/** Long enough for the busiest machine, and shorter than what a test may take, so that the reason is told. */
const giveUpAfterMs = 120_000

/** Tries until the condition holds; for effects that have no event of their own. */
export const eventually = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + giveUpAfterMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not so within ${giveUpAfterMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
