// Writes pages of transactions: the rows that packing their JSON gives, without the JSON. fragments.ts has the numbers of the
// texts.
import {
  beginCounting,
  beginPage,
  beginWriting,
  blockMembers,
  bytes,
  fragment,
  integer,
  literal,
  padded,
  quantityItem,
} from './entry'
import { gasPrice } from './gasPrice'
import { length } from './index'
import { after, HASH, PACKED, RECORD_BYTES, SENDER, TIMESTAMP } from './records'
import { fieldsOf, item, readItem, size, skip, typeOf } from './rlpItems'

const chainId: usize = memory.data(32)

/** Adds the chain id of a legacy transaction, which is in its v, if it has one. */
function legacyChainId(at: usize, count: u32): void {
  if (count == 0 || (count == 1 && load<u8>(at) < 35)) return
  memory.fill(chainId, 0, 32)
  memory.copy(chainId + 32 - count, at, count)
  let borrow: i32 = 35
  for (let i: i32 = 31; i >= 0 && borrow > 0; i--) {
    const rest = <i32>load<u8>(chainId + i) - borrow
    store<u8>(chainId + i, <u8>rest)
    borrow = rest < 0 ? 1 : 0
  }
  let bit: u32 = 0
  for (let i: usize = 0; i < 32; i++) {
    const byte = <u32>load<u8>(chainId + i)
    store<u8>(chainId + i, <u8>((bit << 7) | (byte >> 1)))
    bit = byte & 1
  }
  fragment(26)
  padded(chainId, 32)
}

function accessList(at: usize): void {
  readItem(at)
  const last = item + size
  let entry = item
  if (entry == last) {
    fragment(18)
    return
  }
  fragment(19)
  while (entry < last) {
    const next = readItem(entry)
    let key = readItem(item)
    bytes(item, size)
    readItem(key)
    key = item
    const end = item + size
    const hasKeys = key < end
    if (hasKeys) fragment(20)
    while (key < end) {
      key = readItem(key)
      bytes(item, size)
      if (key < end) fragment(23)
    }
    if (next < last) fragment(hasKeys ? 24 : 21)
    else fragment(hasKeys ? 25 : 22)
    entry = next
  }
}

function blobHashes(at: usize): void {
  readItem(at)
  const last = item + size
  let hash = item
  if (hash == last) {
    literal('","blobVersionedHashes":[],"v":"')
    return
  }
  fragment(27)
  while (hash < last) {
    hash = readItem(hash)
    bytes(item, size)
    if (hash < last) fragment(23)
  }
  fragment(28)
}

function authorizations(at: usize): void {
  readItem(at)
  const last = item + size
  let entry = item
  if (entry == last) {
    literal('","authorizationList":[],"v":"')
    return
  }
  fragment(29)
  while (entry < last) {
    const next = readItem(entry)
    let field = quantityItem(item)
    fragment(30)
    field = readItem(field)
    bytes(item, size)
    fragment(12)
    field = quantityItem(field)
    fragment(36)
    field = quantityItem(field)
    fragment(34)
    field = quantityItem(field)
    fragment(35)
    quantityItem(field)
    fragment(next < last ? 31 : 32)
    entry = next
  }
}

function transaction(block: usize, record: usize, index: u32): void {
  const raw = record + RECORD_BYTES
  const type = typeOf(raw)
  const first = fieldsOf(raw)
  const nonce = type == 0 ? first : skip(first)
  const prices = skip(nonce)
  const gas = skip(type < 2 ? prices : skip(prices))
  const to = skip(gas)
  const value = skip(to)
  const data = skip(value)
  const rest = skip(data)

  fragment(0)
  blockMembers(block)
  fragment(2)
  integer(load<u64>(block + TIMESTAMP))
  fragment(3)
  bytes(record + SENDER, 20)
  fragment(4)
  quantityItem(gas)
  fragment(5)
  gasPrice(block, type, prices)
  const list = rest
  let signature = type == 0 ? rest : skip(list)
  if (type > 1) {
    fragment(6)
    quantityItem(skip(prices))
    fragment(7)
    quantityItem(prices)
    if (type == 3) {
      fragment(8)
      quantityItem(signature)
    }
  }
  fragment(9)
  bytes(record + HASH, 32)
  readItem(data)
  if (size == 0) fragment(11)
  else {
    fragment(10)
    bytes(item, size)
    fragment(12)
  }
  quantityItem(nonce)
  readItem(to)
  if (size == 0) fragment(14)
  else {
    fragment(13)
    bytes(item, size)
    fragment(15)
  }
  integer(index)
  fragment(16)
  quantityItem(value)
  fragment(17)
  integer(type)
  if (type == 0) {
    readItem(signature)
    legacyChainId(item, size)
    fragment(33)
  } else {
    accessList(list)
    quantityItem(first)
    if (type == 3) {
      const hashes = skip(signature)
      blobHashes(hashes)
      signature = skip(hashes)
    } else if (type == 4) {
      authorizations(signature)
      signature = skip(signature)
    } else fragment(33)
  }
  const r = quantityItem(signature)
  fragment(34)
  const s = quantityItem(r)
  fragment(35)
  quantityItem(s)
  if (type > 0) {
    fragment(36)
    quantityItem(signature)
  }
  fragment(37)
}

/** Writes the page of so many transactions and returns its length. */
export function transactionPage(block: usize, records: usize, count: u32, firstIndex: u32, page: usize): u32 {
  const start: u32 = 8 + 4 * count
  store<u32>(page, count | PACKED)
  store<u32>(page + 4, start)
  beginPage(page + start)
  let record = records
  for (let i: u32 = 0; i < count; i++) {
    beginCounting()
    transaction(block, record, firstIndex + i)
    beginWriting()
    transaction(block, record, firstIndex + i)
    store<u32>(page + 8 + 4 * i, length())
    record = after(record)
  }
  return start + length()
}
