/** Returns the number of worker threads of this process. */
export const liveThreads = (): number => {
  const { workers } = process.report.getReport() as unknown as { readonly workers: readonly unknown[] }
  return workers.length
}
