import { padded, quantity } from './entry'
import { BASE_FEE, HAS_BASE_FEE } from './records'
import { item, readItem, size } from './rlpItems'

const price: usize = memory.data(32)

/** Writes the price of a unit of gas: the base fee and the tip, and no more than the cap. */
function effectivePrice(block: usize, tip: usize, tipSize: u32, cap: usize, capSize: u32): void {
  memory.fill(price, 0, 32)
  memory.copy(price + 32 - tipSize, tip, tipSize)
  let carry: u32 = 0
  if (load<u8>(block + HAS_BASE_FEE))
    for (let i: i32 = 31; i >= 0; i--) {
      carry += <u32>load<u8>(price + i) + load<u8>(block + BASE_FEE + i)
      store<u8>(price + i, <u8>carry)
      carry >>= 8
    }
  let order: i32 = carry > 0 ? 1 : 0
  const zeros: u32 = 32 - capSize
  for (let i: u32 = 0; i < 32 && order == 0; i++) {
    const wanted = <i32>load<u8>(price + i)
    order = wanted - (i < zeros ? 0 : <i32>load<u8>(cap + i - zeros))
  }
  if (order < 0) return
  memory.fill(price, 0, zeros)
  memory.copy(price + zeros, cap, capSize)
}

/** Adds the price of a transaction's gas, of the fields from the first price on, and returns where the gas limit begins. */
export function gasPrice(block: usize, type: u32, at: usize): usize {
  const next = readItem(at)
  if (type < 2) {
    quantity(item, size)
    return next
  }
  const tip = item
  const tipSize = size
  const after = readItem(next)
  effectivePrice(block, tip, tipSize, item, size)
  padded(price, 32)
  return after
}
