/** Returns undefined if it takes too long. What comes of the work then is not seen. */
export const inTime = async <T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
