/**
 * The memory layout that host and guest share: a few hundred bytes of the guest's memory, in which the host
 * writes numbers before it calls the guest, and the results of host calls. Scripts never see these bytes.
 */

/** The indexes of the numbers of an instruction, and of the result of a host call, in an array of doubles. */
export const numberSlots = {
  pc: 0,
  op: 1,
  gas: 2,
  cost: 3,
  depth: 4,
  refund: 5,
  stackSize: 6,
  memorySize: 7,
  answer: 8,
} as const

/** The offsets in bytes. */
export const byteOffsets = {
  /** 20 bytes. */
  address: 128,
  /** 32 bytes. */
  slot: 160,
  /** 32 bytes, the lowest first. */
  word: 192,
  size: 224,
} as const

/** The numbers of the host calls. A result is a string, an ArrayBuffer, or in the shared bytes. */
export const hostCalls = {
  stack: 1,
  memory: 2,
  memoryWord: 3,
  caller: 4,
  self: 5,
  callValue: 6,
  callInput: 7,
  stepError: 8,
  balance: 9,
  nonce: 10,
  code: 11,
  storage: 12,
  exists: 13,
  frameType: 14,
  frameFrom: 15,
  frameTo: 16,
  frameInput: 17,
  frameGas: 18,
  frameValue: 19,
  exitGas: 20,
  exitOutput: 21,
  exitError: 22,
  isPrecompile: 23,
  contractAddress: 24,
  contract2Address: 25,
  context: 26,
  fail: 27,
} as const

/** The members of the `ctx` that `result` receives, in the order in which the guest reads them. */
export const contextMembers = [
  ['block', 'number'],
  ['blockHash', 'bytes'],
  ['coinbase', 'bytes'],
  ['error', 'text'],
  ['from', 'bytes'],
  ['gas', 'number'],
  ['gasPrice', 'word'],
  ['gasUsed', 'number'],
  ['input', 'bytes'],
  ['output', 'bytes'],
  ['to', 'bytes'],
  ['txHash', 'bytes'],
  ['txIndex', 'number'],
  ['type', 'text'],
  ['value', 'word'],
] as const

export type ContextMember = (typeof contextMembers)[number][0]
