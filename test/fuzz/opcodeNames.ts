const ranges: readonly (readonly [first: number, names: string])[] = [
  [0x00, 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'],
  [0x10, 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'],
  [0x20, 'KECCAK256'],
  [0x30, 'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY'],
  [0x3a, 'GASPRICE EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH'],
  [0x40, 'BLOCKHASH COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH'],
  [0x4a, 'BLOBBASEFEE'],
  [0x50, 'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY'],
  [0xf0, 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'],
  [0xfa, 'STATICCALL'],
  [0xfd, 'REVERT INVALID SELFDESTRUCT'],
]

const numbered: readonly (readonly [first: number, last: number, name: string, from: number])[] = [
  [0x5f, 0x7f, 'PUSH', 0],
  [0x80, 0x8f, 'DUP', 1],
  [0x90, 0x9f, 'SWAP', 1],
  [0xa0, 0xa4, 'LOG', 0],
]

const names = new Map<number, string>()
for (const [first, list] of ranges)
  for (const [index, name] of list.split(' ').entries()) names.set(first + index, name)
for (const [first, last, name, from] of numbered)
  for (let op = first; op <= last; op++) names.set(op, `${name}${op - first + from}`)

/** Every instruction of the newest fork. */
export const definedOpcodes: readonly number[] = [...names.keys()]

export const opcodeName = (op: number): string => names.get(op) ?? `0x${op.toString(16).padStart(2, '0')}`
