import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { findMetaProblem, findRootProblem, type MetaPage, metaBytes, metaPages, readMeta } from './format.ts'

/** A data file that is read by system calls, never mapped: what is missing at its end is an error and no SIGBUS. */
export class DataFile {
  readonly #descriptor: number

  constructor(path: string) {
    // Opening a pipe would wait for a writer.
    if (!statSync(path).isFile()) throw new Error(`${path} is not a regular file`)
    this.#descriptor = openSync(path, 'r')
  }

  /** The size of now: whoever has read a meta page finds all that it leads to. */
  get size(): number {
    return fstatSync(this.#descriptor).size
  }

  /** Reads bytes; false if the file ends before. */
  read(target: Buffer, position: number): boolean {
    for (let at = 0; at < target.length; ) {
      const count = readSync(this.#descriptor, target, at, target.length - at, position + at)
      if (count === 0) return false
      at += count
    }
    return true
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

/** The two meta pages, of which the newest is in force, or what is wrong with them. */
export type MetaPages = { readonly newest: MetaPage } | { readonly problem: string }

/**
 * Reads both meta pages. Transaction N writes page N modulo 2, so that they are of consecutive transactions; only those
 * of a file in which nothing was committed yet are equal.
 */
export const readMetaPages = (file: DataFile): MetaPages => {
  if (file.size === 0) return { problem: 'it is empty' }
  const first = Buffer.alloc(metaBytes)
  if (!file.read(first, 0)) return { problem: `it ends after ${file.size} bytes` }
  const a = readMeta(first, 0, 0)
  const problem = findMetaProblem(first, 0, a)
  if (problem !== undefined) return { problem }
  if (file.size < metaPages * a.pageSize) return { problem: `it ends after ${file.size} bytes` }
  const second = Buffer.alloc(metaBytes)
  file.read(second, a.pageSize)
  const b = readMeta(second, 0, 1)
  const otherProblem = findMetaProblem(second, 0, b) ?? findDifference(a, b)
  if (otherProblem !== undefined) return { problem: otherProblem }
  const newest = a.transaction >= b.transaction ? a : b
  const rootProblem = findRootProblem(newest)
  return rootProblem === undefined ? { newest } : { problem: rootProblem }
}

const findDifference = (a: MetaPage, b: MetaPage): string | undefined => {
  if (a.pageSize !== b.pageSize) return `the meta pages name page sizes of ${a.pageSize} and ${b.pageSize}`
  if (a.free.flags !== b.free.flags) return 'the meta pages name different flags'
  const isFresh = a.transaction === 0 && b.transaction === 0
  const isPair =
    Math.abs(a.transaction - b.transaction) === 1 && a.transaction % 2 === 0 && b.transaction % 2 === 1
  return isFresh || isPair
    ? undefined
    : `the meta pages are of transactions ${a.transaction} and ${b.transaction}`
}
