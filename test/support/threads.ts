/** How many worker threads this process has. */
export const liveThreads = (): number => {
  const { workers } = process.report.getReport() as unknown as { readonly workers: readonly unknown[] }
  return workers.length
}
