// The roots over the transactions and receipts of a block, each under the RLP of its index (yellow paper, 4.3.2 and appendix D),
// from the records that records.ts describes.
import { keccak } from '../../../base/crypto/assembly/keccak'
import { noBloom } from './receiptPage'
import {
  after,
  BLOOM_BYTES,
  CUMULATIVE_GAS,
  DATA_LENGTH,
  FLAGS,
  HAS_ROOT,
  LOG_BYTES,
  LOGS,
  RAW_LENGTH,
  RECORD_BYTES,
  ROOT,
  SUCCEEDED,
  TOPICS,
} from './records'
import { typeOf } from './rlpItems'

// Where each value is and how long: 4 bytes each, in the order of their keys.
let values: usize = 0
let count: u32 = 0

/** Keys are in this order: 1 to 127, 0, and then those of more bytes. */
@inline
function indexAt(position: u32): u32 {
  if (position > 127) return position
  return position + 1 < min<u32>(count, 128) ? position + 1 : 0
}

function keyLength(index: u32): u32 {
  if (index < 128) return 1
  return index < 256 ? 2 : index < 65536 ? 3 : 4
}

function nibble(position: u32, at: u32): u32 {
  const index = indexAt(position)
  const length = keyLength(index)
  const byte = at >> 1
  let value: u32
  if (length == 1) value = index == 0 ? 0x80 : index
  else value = byte == 0 ? 0x7f + length : (index >> (8 * (length - 1 - byte))) & 255
  return at & 1 ? value & 15 : value >> 4
}

@inline
function headerLength(size: u32): u32 {
  if (size < 56) return 1
  return size < 256 ? 2 : size < 65536 ? 3 : 4
}

/** Writes the header of a string (0x80) or a list (0xc0) and returns its end. */
function header(at: usize, base: u32, size: u32): usize {
  const length = headerLength(size)
  if (length == 1) store<u8>(at, <u8>(base + size))
  else {
    store<u8>(at, <u8>(base + 54 + length))
    for (let i: u32 = 1; i < length; i++) store<u8>(at + i, <u8>(size >> (8 * (length - 1 - i))))
  }
  return at + length
}

/** Writes nibbles of a key in hex-prefix form, as a string, and returns its end. */
function path(at: usize, position: u32, from: u32, to: u32, isLeaf: bool): usize {
  const odd = (to - from) & 1
  const size = 1 + ((to - from) >> 1)
  // One byte of a path is below 0x80, and so is its own encoding.
  const start = size == 1 ? at : header(at, 0x80, size)
  store<u8>(start, <u8>((isLeaf ? 0x20 : 0) | (odd ? 0x10 | nibble(position, from) : 0)))
  let end = start + 1
  for (let i = from + odd; i < to; i += 2)
    store<u8>(end++, <u8>((nibble(position, i) << 4) | nibble(position, i + 1)))
  return end
}

// The node that was encoded last.
let node: usize = 0
let nodeLength: u32 = 0

/** Moves what was written behind `at + 8` behind the header of its list. */
@inline
function finish(at: usize, end: usize): void {
  const size = <u32>(end - at) - 8
  node = at + 8 - headerLength(size)
  header(node, 0xc0, size)
  nodeLength = <u32>(end - node)
}

/** Encodes the node over the values from one position to another, which share so many nibbles, in the memory behind `at`. */
function encode(from: u32, to: u32, depth: u32, at: usize): void {
  const length: u32 = 2 * keyLength(indexAt(from))
  if (to - from == 1) {
    const value = load<u32>(values + 8 * from)
    const size = load<u32>(values + 8 * from + 4)
    let end = path(at + 8, from, depth, length, true)
    end = header(end, 0x80, size)
    memory.copy(end, value, size)
    finish(at, end + size)
    return
  }
  const last = to - 1
  const limit: u32 = min<u32>(length, 2 * keyLength(indexAt(last)))
  let shared = depth
  while (shared < limit && nibble(from, shared) == nibble(last, shared)) shared++
  if (shared > depth) {
    const end = path(at + 8, from, depth, shared, false)
    finish(at, reference(from, to, shared, end, at + 64))
    return
  }
  let end = at + 8
  let start = from
  for (let digit: u32 = 0; digit < 16; digit++) {
    let next = start
    while (next < to && nibble(next, depth) == digit) next++
    if (next == start) store<u8>(end++, 0x80)
    else end = reference(start, next, depth + 1, end, at + 640)
    start = next
  }
  store<u8>(end++, 0x80)
  finish(at, end)
}

/** Writes how a parent has a node, which is encoded behind `at`, and returns the end. */
function reference(from: u32, to: u32, depth: u32, target: usize, at: usize): usize {
  encode(from, to, depth, at)
  if (nodeLength < 32) {
    memory.copy(target, node, nodeLength)
    return target + nodeLength
  }
  store<u8>(target, 0xa0)
  keccak(node, nodeLength, target + 1)
  return target + 33
}

@inline
function framed(size: u32): u32 {
  return headerLength(size) + size
}

function stringLength(at: usize, size: u32): u32 {
  return size == 1 && load<u8>(at) < 0x80 ? 1 : framed(size)
}

function string(to: usize, at: usize, size: u32): usize {
  const start = size == 1 && load<u8>(at) < 0x80 ? to : header(to, 0x80, size)
  memory.copy(start, at, size)
  return start + size
}

/** The size of a log's fields. */
@inline
function logLength(log: usize): u32 {
  const topics = load<u32>(log + TOPICS)
  const size = load<u32>(log + DATA_LENGTH)
  return 21 + framed(33 * topics) + stringLength(log + LOG_BYTES + 32 * topics, size)
}

@inline
function afterLog(log: usize): usize {
  return log + LOG_BYTES + 32 * load<u32>(log + TOPICS) + load<u32>(log + DATA_LENGTH)
}

const integer: usize = memory.data(8)

/** Writes a receipt in its consensus form and returns its end. */
function receipt(record: usize, to: usize): usize {
  const type = typeOf(record + RECORD_BYTES)
  const flags = load<u32>(record + FLAGS)
  const logs = load<u32>(record + LOGS)
  const bloom = record + RECORD_BYTES + load<u32>(record + RAW_LENGTH)
  let logsSize: u32 = 0
  let log = bloom + BLOOM_BYTES
  for (let i: u32 = 0; i < logs; i++, log = afterLog(log)) logsSize += framed(logLength(log))
  const gas = load<u64>(record + CUMULATIVE_GAS)
  const gasSize = gas == 0 ? 0 : <u32>(71 - clz<u64>(gas)) >> 3
  store<u64>(integer, bswap<u64>(gas))
  const gasAt = integer + 8 - gasSize
  const size = (flags & HAS_ROOT ? 33 : 1) + stringLength(gasAt, gasSize) + 259 + framed(logsSize)
  let at = to
  if (type > 0) store<u8>(at++, <u8>type)
  at = header(at, 0xc0, size)
  if (flags & HAS_ROOT) at = string(at, record + ROOT, 32)
  else store<u8>(at++, flags & SUCCEEDED ? 1 : 0x80)
  at = string(at, gasAt, gasSize)
  at = string(at, logs == 0 ? noBloom : bloom, 256)
  at = header(at, 0xc0, logsSize)
  log = bloom + BLOOM_BYTES
  for (let i: u32 = 0; i < logs; i++, log = afterLog(log)) {
    const topics = load<u32>(log + TOPICS)
    at = header(at, 0xc0, logLength(log))
    at = string(at, log, 20)
    at = header(at, 0xc0, 33 * topics)
    for (let topic: u32 = 0; topic < topics; topic++) at = string(at, log + LOG_BYTES + 32 * topic, 32)
    at = string(at, log + LOG_BYTES + 32 * topics, load<u32>(log + DATA_LENGTH))
  }
  return at
}

function root(table: usize, entries: u32, work: usize, out: usize): void {
  values = table
  count = entries
  if (count == 0) {
    store<u8>(work, 0x80)
    keccak(work, 1, out)
    return
  }
  encode(0, count, 0, work)
  keccak(node, nodeLength, out)
}

@inline
function positionOf(index: u32, entries: u32): u32 {
  if (index > 127) return index
  return index == 0 ? min<u32>(entries, 128) - 1 : index - 1
}

/** Writes the root over the transactions of so many records; the table takes 8 bytes for each. */
export function transactionsRoot(records: usize, entries: u32, table: usize, work: usize, out: usize): void {
  let record = records
  for (let i: u32 = 0; i < entries; i++, record = after(record)) {
    const entry = table + 8 * positionOf(i, entries)
    store<u32>(entry, <u32>(record + RECORD_BYTES))
    store<u32>(entry + 4, load<u32>(record + RAW_LENGTH))
  }
  root(table, entries, work, out)
}

/** Writes the root over their receipts, which are encoded at the beginning of the memory behind `work`. */
export function receiptsRoot(records: usize, entries: u32, table: usize, work: usize, out: usize): void {
  let record = records
  let at = work
  for (let i: u32 = 0; i < entries; i++, record = after(record)) {
    const entry = table + 8 * positionOf(i, entries)
    store<u32>(entry, <u32>at)
    const end = receipt(record, at)
    store<u32>(entry + 4, <u32>(end - at))
    at = end
  }
  root(table, entries, at, out)
}
