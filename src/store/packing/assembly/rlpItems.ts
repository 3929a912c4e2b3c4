// Reads the RLP of transactions as it stands in their records.

// The item of an RLP list that was read last.
export let item: usize = 0
export let size: u32 = 0

@inline
function readLength(at: usize, count: u32): u32 {
  let value: u32 = 0
  for (let i: u32 = 0; i < count; i++) value = (value << 8) | load<u8>(at + i)
  return value
}

/** Reads an item, a string or a list, and returns where the next one begins. */
export function readItem(at: usize): usize {
  const first = <u32>load<u8>(at)
  if (first < 0x80) {
    item = at
    size = 1
  } else {
    const isList = first >= 0xc0
    const short = first - (isList ? 0xc0 : 0x80)
    const count = short > 55 ? short - 55 : 0
    item = at + 1 + count
    size = count == 0 ? short : readLength(at + 1, count)
  }
  return item + size
}

@inline
export function typeOf(raw: usize): u32 {
  const first = <u32>load<u8>(raw)
  return first < 0x80 ? first : 0
}

/** Returns where the fields begin. */
@inline
export function fieldsOf(raw: usize): usize {
  readItem(raw + usize(load<u8>(raw) < 0x80))
  return item
}

@inline
export function skip(at: usize): usize {
  return readItem(at)
}
