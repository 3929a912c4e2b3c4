import { instantiateWasm } from '../../base/threads/builtFiles.ts'

/** What assembly/index.ts exports. */
interface TrieExports {
  readonly memory: WebAssembly.Memory
  readonly area: WebAssembly.Global
  readonly referencesAt: WebAssembly.Global
  readonly digestAt: WebAssembly.Global
  hash(length: number): void
  encodeBranch(): number
  writeChanges(length: number, from: number, most: number): number
}

const trie = instantiateWasm<TrieExports>('trie')

const area = Number(trie.area.value)
const slack = 64

/** The memory in which nodes are encoded, from its beginning on. It is another one after `reserve`. */
export let scratch = new Uint8Array(trie.memory.buffer, area)
/** The hash that was computed last. */
export let digest = new Uint8Array(trie.memory.buffer, Number(trie.digestAt.value), 32)
let references = new Uint8Array(trie.memory.buffer, Number(trie.referencesAt.value), 528)

/** Has the scratch memory be at least so long. What was in it may be lost. */
export const reserve = (length: number): void => {
  const missing = length + slack - scratch.length
  if (missing <= 0) return
  trie.memory.grow(Math.ceil(missing / 65_536))
  scratch = new Uint8Array(trie.memory.buffer, area)
  digest = new Uint8Array(trie.memory.buffer, Number(trie.digestAt.value), 32)
  references = new Uint8Array(trie.memory.buffer, Number(trie.referencesAt.value), 528)
}

/** Hashes so many bytes of the scratch memory to `digest`. */
export const hashScratch = (length: number): void => trie.hash(length)

/** Encodes a branch without a value in the scratch memory and returns its length. */
export const encodeBranch = (refs: Uint8Array): number => {
  references.set(refs)
  return trie.encodeBranch()
}

/**
 * Writes how a row differs from a later one of its length, from `start` on, as nodeDelta.ts has it; returns the end, which is
 * `limit` if it does not fit.
 */
export const writeChanges = (
  target: Uint8Array,
  from: number,
  limit: number,
  before: Uint8Array,
  after: Uint8Array,
  start: number,
): number => {
  const { length } = before
  reserve(3 * length)
  scratch.set(before)
  scratch.set(after, length)
  const written = trie.writeChanges(length, start, limit - from)
  if (written < limit - from) target.set(scratch.subarray(2 * length, 2 * length + written), from)
  return from + written
}
