/**
 * A hand-written contract for tests: without call data it returns the word in slot 0; a first byte of 0 stores the next 32
 * bytes there and logs them as a topic, 1 reverts with the rest of the data, 2 is an invalid instruction, anything else
 * runs until its gas is gone.
 */
const runtime =
  '36600c575f545f5260205ff3' + // no data: return the slot
  '5b5f3560f81c' + // the first byte
  '801560285780600114603357600214603f57' + // jump to the branch
  '5b602456' + // loop until out of gas
  '5b600135805f555f5fa100' + // store and log
  '5b600136038060015f375ffd' + // revert
  '5bfe'

export const boxCode = `0x${runtime}`

/** The init code, which copies the code behind it to memory and returns it. */
export const boxInitCode = `0x60418060095f395ff3${runtime}`

const word = (value: bigint): string => value.toString(16).padStart(64, '0')

export const storeData = (value: bigint): string => `0x00${word(value)}`
export const revertData = (data: string): string => `0x01${data.slice(2)}`
export const invalidData = '0x02'
export const endlessData = '0x03'
