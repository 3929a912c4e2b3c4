const maxSortedItems = 2 ** 20

/** Returns the items in the order of their bytes (four or more each). Throws if two are equal. */
export const sortByBytes = <T>(items: readonly T[], bytesOf: (item: T) => Uint8Array): T[] => {
  const compare = (a: T, b: T): number => Buffer.compare(bytesOf(a), bytesOf(b))
  if (items.length > maxSortedItems) return distinct([...items].sort(compare), bytesOf)
  // The first four bytes and the index as one number: a native sort, which nearly always decides the order
  // alone.
  const order = new Float64Array(items.length)
  for (let i = 0; i < items.length; i++) {
    const bytes = bytesOf(items[i] as T)
    const start =
      (bytes[0] as number) * 2 ** 24 +
      (((bytes[1] as number) << 16) | ((bytes[2] as number) << 8) | (bytes[3] as number))
    order[i] = start * maxSortedItems + i
  }
  order.sort()
  const sorted: T[] = new Array(items.length)
  let run = 0
  for (let i = 0; i < order.length; i++) {
    const value = order[i] as number
    sorted[i] = items[value % maxSortedItems] as T
    const isEnd =
      i + 1 === order.length ||
      Math.floor((order[i + 1] as number) / maxSortedItems) !== Math.floor(value / maxSortedItems)
    if (!isEnd) continue
    if (i > run) {
      const part = distinct(sorted.slice(run, i + 1).sort(compare), bytesOf)
      for (let j = 0; j < part.length; j++) sorted[run + j] = part[j] as T
    }
    run = i + 1
  }
  return sorted
}

const distinct = <T>(sorted: T[], bytesOf: (item: T) => Uint8Array): T[] => {
  for (let i = 1; i < sorted.length; i++) {
    const bytes = bytesOf(sorted[i] as T)
    if (Buffer.compare(bytesOf(sorted[i - 1] as T), bytes) === 0) {
      throw new RangeError(`changed twice at one height: ${Buffer.from(bytes).toString('hex')}`)
    }
  }
  return sorted
}
