/** The numbers of the instructions that traces treat in a way of their own. */
export const opcode = {
  stop: 0x00,
  exp: 0x0a,
  iszero: 0x15,
  keccak: 0x20,
  balance: 0x31,
  calldatacopy: 0x37,
  codecopy: 0x39,
  extcodesize: 0x3b,
  extcodecopy: 0x3c,
  returndatacopy: 0x3e,
  extcodehash: 0x3f,
  pop: 0x50,
  mload: 0x51,
  mstore: 0x52,
  mstore8: 0x53,
  sload: 0x54,
  sstore: 0x55,
  jump: 0x56,
  jumpi: 0x57,
  gas: 0x5a,
  jumpdest: 0x5b,
  tload: 0x5c,
  tstore: 0x5d,
  mcopy: 0x5e,
  log0: 0xa0,
  log4: 0xa4,
  create: 0xf0,
  call: 0xf1,
  callcode: 0xf2,
  return: 0xf3,
  delegatecall: 0xf4,
  create2: 0xf5,
  staticcall: 0xfa,
  revert: 0xfd,
  selfdestruct: 0xff,
} as const

/** The instructions that run the code of an address, which is the second word of the stack. */
export const callOpcodes: ReadonlySet<number> = new Set([
  opcode.call,
  opcode.callcode,
  opcode.delegatecall,
  opcode.staticcall,
])

/** The instructions that read something of an address, which is the first word of the stack. */
export const lookupOpcodes: ReadonlySet<number> = new Set([
  opcode.balance,
  opcode.extcodesize,
  opcode.extcodecopy,
  opcode.extcodehash,
])

/** The instructions that read or write a slot of the storage, which is the first word of the stack. */
export const slotOpcodes: ReadonlySet<number> = new Set([opcode.sload, opcode.sstore])
