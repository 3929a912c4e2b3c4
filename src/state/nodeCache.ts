/**
 * Rows of the upper account trie at the head, where nearly every block passes. Paths of up to eleven nibbles fit a
 * number; what is deeper is not kept.
 */
const deepest = 11

export class NodeCache {
  private readonly rows = new Map<number, Uint8Array>()
  private readonly maxBytes: number
  private bytes = 0
  private base = ''

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Empties the cache unless it was filled at this root: the state may have moved without it. */
  expect(root: Uint8Array | undefined): void {
    const base = root ? Buffer.from(root).toString('latin1') : ''
    if (base === this.base) return
    this.rows.clear()
    this.bytes = 0
    this.base = base
  }

  /** From here on the rows stand for this root. */
  settle(root: Uint8Array): void {
    this.base = Buffer.from(root).toString('latin1')
  }

  get(path: Uint8Array): Uint8Array | undefined {
    return path.length > deepest ? undefined : this.rows.get(numberOf(path))
  }

  set(path: Uint8Array, row: Uint8Array | undefined): void {
    if (path.length > deepest) return
    const name = numberOf(path)
    const before = this.rows.get(name)
    if (before) this.bytes -= before.length + entryBytes
    if (row === undefined) {
      this.rows.delete(name)
      return
    }
    this.rows.set(name, row)
    this.bytes += row.length + entryBytes
    if (this.bytes > this.maxBytes) this.evict()
  }

  /** Lets the deepest level go as a whole: what is above it is read more often. */
  private evict(): void {
    let level = 1
    for (const name of this.rows.keys()) level = Math.max(level, levelOf(name))
    for (const [name, row] of this.rows) {
      if (levelOf(name) < level) continue
      this.rows.delete(name)
      this.bytes -= row.length + entryBytes
      if (this.bytes < this.maxBytes * 0.75) return
    }
  }
}

/** What a Map's entry and a typed array cost besides the row. */
const entryBytes = 200

const numberOf = (path: Uint8Array): number => {
  let name = 1
  for (let i = 0; i < path.length; i++) name = name * 16 + (path[i] as number)
  return name
}

const levelOf = (name: number): number => Math.floor(Math.log2(name) / 4)
