import { readFileSync, writeFileSync } from 'node:fs'

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Decodes the integers of a segment: base 64, five bits a digit, the lowest of all is the sign. */
const decode = (segment: string): number[] => {
  const values: number[] = []
  let value = 0
  let shift = 0
  for (const char of segment) {
    const digit = digits.indexOf(char)
    value |= (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    values.push(value & 1 ? -(value >>> 1) : value >>> 1)
    value = 0
    shift = 0
  }
  return values
}

const encode = (values: readonly number[]): string =>
  values
    .map((value) => {
      let rest = value < 0 ? (-value << 1) | 1 : value << 1
      let text = ''
      do {
        const digit = rest & 31
        rest >>>= 5
        text += digits[rest > 0 ? digit | 32 : digit]
      } while (rest > 0)
      return text
    })
    .join('')

/** Keeps of each line of the output the first place for each line of a source. */
const coarsen = (mappings: string): string => {
  // Source, line and column; a segment has the differences to the one before it.
  const read = [0, 0, 0]
  const written = [0, 0, 0]
  return mappings
    .split(';')
    .map((line) => {
      const kept: string[] = []
      let column = 0
      let keptColumn = 0
      let last = ''
      for (const segment of line === '' ? [] : line.split(',')) {
        const [byColumn = 0, ...rest] = decode(segment)
        column += byColumn
        if (rest.length < 3) continue
        for (const index of read.keys()) read[index] = (read[index] ?? 0) + (rest[index] ?? 0)
        const place = `${read[0]}:${read[1]}`
        if (place === last) continue
        last = place
        kept.push(encode([column - keptColumn, ...read.map((value, index) => value - (written[index] ?? 0))]))
        keptColumn = column
        written.splice(0, 3, ...read)
      }
      return kept.join(',')
    })
    .join(';')
}

/**
 * Makes a source map small: what stacks and profiles need are the files and lines of the sources, not their text, and not
 * each word of a line.
 */
export const shrinkSourceMap = (file: string): void => {
  const { sourcesContent: _, names: __, ...map } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...map, names: [], mappings: coarsen(map.mappings) }))
}
