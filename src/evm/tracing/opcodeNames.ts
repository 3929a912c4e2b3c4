/** The instructions by geth's names, including those that no fork here has, because traces show them. */
const ranges: readonly (readonly [first: number, names: string])[] = [
  [0x00, 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'],
  [0x10, 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'],
  [0x20, 'KECCAK256'],
  [0x30, 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY'],
  [0x3a, 'GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH'],
  [0x40, 'BLOCKHASH COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH'],
  [0x4a, 'BLOBBASEFEE SLOTNUM'],
  [0x50, 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY'],
  [0xd0, 'DATALOAD DATALOADN DATASIZE DATACOPY'],
  [0xe0, 'RJUMP RJUMPI RJUMPV CALLF RETF JUMPF DUPN SWAPN EXCHANGE'],
  [0xec, 'EOFCREATE'],
  [0xee, 'RETURNCONTRACT'],
  [0xf0, 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'],
  [0xf7, 'RETURNDATALOAD EXTCALL EXTDELEGATECALL STATICCALL EXTSTATICCALL'],
  [0xfd, 'REVERT INVALID SELFDESTRUCT'],
]

const numbered: readonly (readonly [first: number, last: number, name: string, from: number])[] = [
  [0x5f, 0x7f, 'PUSH', 0],
  [0x80, 0x8f, 'DUP', 1],
  [0x90, 0x9f, 'SWAP', 1],
  [0xa0, 0xa4, 'LOG', 0],
]

const names = Array.from({ length: 256 }, (_, op) => `opcode 0x${op.toString(16)} not defined`)
for (const [first, list] of ranges)
  for (const [index, name] of list.split(' ').entries()) names[first + index] = name
for (const [first, last, name, from] of numbered)
  for (let op = first; op <= last; op++) names[op] = `${name}${op - first + from}`

export const opcodeName = (op: number): string => names[op] as string // a byte

/** Returns what an entry of the opcode log has between the position and the gas. */
export const stepHead = (op: number): string => `,"op":${JSON.stringify(opcodeName(op))},"gas":`
