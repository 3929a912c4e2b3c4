/** The timeout: long enough for a busy machine, and shorter than that of a test, so that the reason is shown. */
const patienceMs = 120_000

/** Retries until the condition holds, for effects without an event. */
export const eventually = async (
  condition: () => boolean | Promise<boolean>,
  giveUpAfterMs = patienceMs,
): Promise<void> => {
  const deadline = performance.now() + giveUpAfterMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not so within ${giveUpAfterMs} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
