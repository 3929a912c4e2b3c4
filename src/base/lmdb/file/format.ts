/**
 * The parts of a data file of LMDB (data version 2, 64-bit, little-endian), as far as a check reads them.
 *
 *   page:  number (8) · transaction (8) · padding (2) · flags (2) · lower (2) · upper (2), or of overflow pages their
 *          count (4) · offsets of the nodes (2 each) · free space · nodes
 *   node:  of a leaf: size of the value (4) · flags (2) · size of the key (2) · key · value
 *          of a branch: page number (6) · size of the key (2) · key
 *   tree:  padding (4) · flags (2) · depth (2) · branch pages · leaf pages · overflow pages · entries · root (8 each)
 *   meta:  magic (4) · version (4) · address (8) · size of the map (8) · tree of free pages · tree of tables
 *          · last page (8) · transaction (8) · boot id (8)
 *
 * Offsets and sizes inside a page count from the end of its header.
 */

/**
 * The page size of new files: a third less work for each commit than with 4 KB, because there are half as many pages to
 * copy and track.
 */
export const newFilePageBytes = 8192

export const pageHeaderBytes = 24
export const nodeHeaderBytes = 8
export const treeBytes = 48
/** The number of pages at the start that each hold the root of a transaction; two, so that one is always whole. */
export const metaPages = 2

export const pageFlags = { branch: 1, leaf: 2, overflow: 4, meta: 8, subPage: 0x40 } as const
export const nodeFlags = { overflow: 1, tree: 2, values: 4 } as const
export const sortedValues = 4

const magic = 0xbeefc0de
const dataVersion = 2

/** The root of a tree that has no page. */
export const noPage = -1

export interface TreeRecord {
  readonly flags: number
  readonly depth: number
  readonly branchPages: number
  readonly leafPages: number
  readonly overflowPages: number
  readonly entries: number
  readonly root: number
}

export interface MetaPage {
  readonly index: number
  readonly pageSize: number
  readonly free: TreeRecord
  readonly main: TreeRecord
  readonly lastPage: number
  readonly transaction: number
}

/** Returns an integer of 8 bytes; -1 if all bits are set, infinity if it is too large to be a page or a size. */
export const readUint64 = (bytes: Buffer, at: number): number => {
  const low = bytes.readUInt32LE(at)
  const high = bytes.readUInt32LE(at + 4)
  if (high < 2 ** 20) return high * 2 ** 32 + low
  return high === 0xffff_ffff && low === 0xffff_ffff ? noPage : Number.POSITIVE_INFINITY
}

export const readTree = (bytes: Buffer, at: number): TreeRecord => ({
  flags: bytes.readUInt16LE(at + 4),
  depth: bytes.readUInt16LE(at + 6),
  branchPages: readUint64(bytes, at + 8),
  leafPages: readUint64(bytes, at + 16),
  overflowPages: readUint64(bytes, at + 24),
  entries: readUint64(bytes, at + 32),
  root: readUint64(bytes, at + 40),
})

const metaAt = pageHeaderBytes
const freeAt = metaAt + 24
const mainAt = freeAt + treeBytes
const lastPageAt = mainAt + treeBytes
/** The bytes of a meta page that hold something. */
export const metaBytes = lastPageAt + 24

export const readMeta = (bytes: Buffer, at: number, index: number): MetaPage => ({
  index,
  pageSize: bytes.readUInt32LE(at + freeAt),
  free: readTree(bytes, at + freeAt),
  main: readTree(bytes, at + mainAt),
  lastPage: readUint64(bytes, at + lastPageAt),
  transaction: readUint64(bytes, at + lastPageAt + 8),
})

const isPageSize = (size: number): boolean => size >= 256 && size <= 65_536 && (size & (size - 1)) === 0

/** Returns what is wrong with a meta page, but for its trees. */
export const findMetaProblem = (bytes: Buffer, at: number, meta: MetaPage): string | undefined => {
  const { index, pageSize, lastPage } = meta
  const name = `meta page ${index}`
  if (bytes.readUInt32LE(at + metaAt) !== magic) return `${name} is not one of LMDB`
  const version = bytes.readUInt32LE(at + metaAt + 4)
  if (version !== dataVersion) return `${name} is of version ${version}, not ${dataVersion}`
  if (readUint64(bytes, at) !== index || bytes.readUInt16LE(at + 18) !== pageFlags.meta)
    return `${name} does not say that it is one`
  if (!isPageSize(pageSize)) return `${name} names a page size of ${pageSize}`
  if (readUint64(bytes, at + metaAt + 8) !== 0) return `${name} names an address`
  const mapBytes = readUint64(bytes, at + metaAt + 16)
  if (mapBytes % pageSize !== 0 || mapBytes > 2 ** 46 || mapBytes < (lastPage + 1) * pageSize)
    return `${name} names a map of ${mapBytes} bytes for ${lastPage + 1} pages`
  return undefined
}

/**
 * Returns what is wrong with the trees of the meta page that is in force. The older one is not read any more, and a write
 * that failed may have left half of a newer one in its place.
 */
export const findRootProblem = ({ index, free, main, lastPage }: MetaPage): string | undefined => {
  for (const { root, depth, branchPages, leafPages, overflowPages } of [free, main]) {
    const pages = branchPages + leafPages + overflowPages
    if (root === noPage ? pages + depth !== 0 : root < metaPages || root > lastPage || pages > lastPage)
      return `meta page ${index} names a root that cannot be one`
  }
  return undefined
}

/** Returns how many overflow pages a value takes. */
export const overflowPageCount = (bytes: number, pageSize: number): number =>
  Math.floor((pageHeaderBytes - 1 + bytes) / pageSize) + 1
