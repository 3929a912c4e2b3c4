import { assemble } from '../../support/evm/assemble.ts'
import type { GenesisAccount } from '../genesis.ts'

/** Code for everything that a tracer has words for. */

const address = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`

/** Calls on: gas, target and value from the first three words, the rest as input; hands the answer back. */
const forward = (instruction: string, ending: string): string => {
  const takesValue = instruction === 'CALL' || instruction === 'CALLCODE'
  return assemble(`
    96 CALLDATASIZE SUB DUP1 96 0 CALLDATACOPY
    0 0 DUP3 0 ${takesValue ? '64 CALLDATALOAD' : ''} 32 CALLDATALOAD 0 CALLDATALOAD ${instruction}
    RETURNDATASIZE 0 0 RETURNDATACOPY ${ending}`)
}

/** The answer of the call, whether it worked or not. */
const calm = 'RETURNDATASIZE 0 RETURN'
/** A revert with the answer where it did not work. The jump goes over the REVERT to the place after it. */
const strict = (length: number): string =>
  `#60${(length + 6).toString(16).padStart(2, '0')} JUMPI RETURNDATASIZE 0 REVERT`

const kinds = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'] as const

const strictForward = (instruction: (typeof kinds)[number]): string => {
  const before = (forward(instruction, '').length - 2) / 2
  return forward(instruction, `${strict(before)} JUMPDEST ${calm}`)
}

const word = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0')

/** Error(string), as Solidity writes it. */
const reasonCode = (reason: string): string =>
  assemble(`
    #7f${`08c379a0${'0'.repeat(56)}`} 0 MSTORE 32 4 MSTORE ${reason.length} 36 MSTORE #7f${word(reason)} 68 MSTORE
    100 0 REVERT`)

const panicCode = (code: number): string =>
  assemble(`#7f${`4e487b71${'0'.repeat(56)}`} 0 MSTORE ${code} 4 MSTORE 36 0 REVERT`)

/** Creates with the call data as init code and the value given; leaves the address in slot 1. */
const creator = (instruction: 'CREATE' | 'CREATE2'): string =>
  assemble(`
    CALLDATASIZE 0 0 CALLDATACOPY
    ${instruction === 'CREATE2' ? '7' : ''} CALLDATASIZE 0 CALLVALUE ${instruction}
    DUP1 1 SSTORE 0 MSTORE RETURNDATASIZE 32 MSTORE 64 0 RETURN`)

export const leaves: Readonly<Record<string, string>> = {
  stop: assemble('STOP'),
  returns: assemble('42 0 MSTORE 32 0 RETURN'),
  stores: assemble('1 0 SSTORE 2 1 SSTORE 0 0 SSTORE 1 SLOAD 3 SSTORE 1 SLOAD 9 SLOAD STOP'),
  clears: assemble('0 5 SSTORE 0 6 SSTORE 7 5 SSTORE 0 5 SSTORE STOP'),
  logs: assemble('7 0 MSTORE 0 0 LOG0 1 32 0 LOG1 2 1 8 24 LOG2 3 2 1 0 0 LOG3 4 3 2 1 32 0 LOG4 STOP'),
  logsAndReverts: assemble('1 32 0 LOG1 0 0 REVERT'),
  reverts: assemble('0 0 REVERT'),
  revertsWithReason: reasonCode('not enough of it'),
  revertsWithEmptyReason: reasonCode(''),
  panics: panicCode(0x11),
  panicsUnknown: panicCode(0x99),
  revertsShort: assemble('#61dead 0 MSTORE 2 30 REVERT'),
  invalid: assemble('INVALID'),
  undefinedCode: assemble('#0c'),
  badJump: assemble('3 JUMP STOP'),
  badJumpIf: assemble('1 200 JUMPI STOP'),
  underflow: assemble('1 ADD'),
  underflowCall: assemble('1 2 CALL'),
  overflow: `0x${'5f'.repeat(1025)}`,
  loops: assemble('JUMPDEST 0 JUMP'),
  transient: assemble('5 1 TSTORE 1 TLOAD 2 SSTORE 1 TLOAD POP 9 TLOAD POP STOP'),
  hashes: assemble(
    'CALLER 0 MSTORE 1 32 MSTORE 64 0 KECCAK256 SLOAD 0 0 KECCAK256 POP 100 1 KECCAK256 POP STOP',
  ),
  looks: assemble(`
    ADDRESS BALANCE POP 0x99 BALANCE POP CALLER EXTCODESIZE ISZERO POP CALLER EXTCODEHASH POP
    0x1000 EXTCODESIZE POP 32 0 0 0x1001 EXTCODECOPY 0x9999 EXTCODEHASH POP GAS GAS POP POP STOP`),
  returnDataBounds: assemble('5 0 0 RETURNDATACOPY STOP'),
  hugeMemory: assemble('1 0xffffffffff MSTORE STOP'),
  hugerMemory: assemble('1 0xffffffffffffffffffffffffffff MSTORE STOP'),
  hugeCopy: assemble('0xffffffffffffffffff 0 0 CALLDATACOPY STOP'),
  hugeReturn: assemble('0xffffffffff 0 RETURN'),
  memories: assemble('1 0 MSTORE8 2 500 MSTORE 0 MLOAD POP 64 0 32 MCOPY MSIZE POP 40 3 RETURN'),
  copies: assemble('CALLDATASIZE 0 0 CALLDATACOPY 40 0 50 CODECOPY CODESIZE CALLDATASIZE RETURN'),
  arithmetic: assemble('3 2 EXP 7 SDIV NOT 5 3 9 ADDMOD MULMOD'),
  context: assemble(`
    NUMBER TIMESTAMP DIFFICULTY GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBBASEFEE 0 BLOBHASH COINBASE ORIGIN GASPRICE PC
    1 NUMBER SUB BLOCKHASH CLZ STOP`),
  destroys: assemble('CALLER SELFDESTRUCT'),
  destroysToSelf: assemble('ADDRESS SELFDESTRUCT'),
  destroysToNobody: assemble('0xdead01 SELFDESTRUCT'),
  creates: creator('CREATE'),
  creates2: creator('CREATE2'),
  sends: assemble(
    '0 0 0 0 3 0xdead02 GAS CALL 0 0 0 0 1 CALLER 0 CALL 0 0 0 0 0x10000000000000000 CALLER GAS CALL STOP',
  ),
  callsNothing: assemble(
    '0 0 0 0 0 0xdead03 GAS CALL 0 0 0 0 0xdead03 GAS STATICCALL 0 0 0 0 0xdead03 GAS DELEGATECALL STOP',
  ),
  recurses: assemble('0 0 CALLDATASIZE 0 0 ADDRESS GAS CALL STOP'),
  emptyEnd: assemble('1 2 ADD'),
  pushCut: '0x61ff',
}

/** What creations run: code that works, that fails, and that returns what cannot be kept. */
export const initCodes: readonly string[] = [
  assemble('1 0 SSTORE #62600155 0 MSTORE 3 29 RETURN'),
  assemble('0 0 RETURN'),
  '0x',
  assemble('0 0 REVERT'),
  reasonCode('not today'),
  assemble('INVALID'),
  assemble('0xef 0 MSTORE8 1 0 RETURN'),
  assemble('24577 0 RETURN'),
  assemble('20000 0 RETURN'),
  assemble('CALLER SELFDESTRUCT'),
  assemble('7 0 SSTORE 0 0 LOG0 ADDRESS SELFDESTRUCT'),
  // Creates once more, in the code of a creation.
  assemble('#63602a5f53 0 MSTORE 4 28 0 CREATE POP 1 0 RETURN'),
]

export const addresses = {
  forwarders: kinds.map((_, index) => address(0x1000 + index)),
  strictForwarders: kinds.map((_, index) => address(0x1010 + index)),
  leaves: Object.keys(leaves).map((_, index) => address(0x2000 + index)),
}

/** The accounts of these contracts, some of them with storage and balance. */
export const contractAccounts = (): Record<string, GenesisAccount> => ({
  ...Object.fromEntries(
    kinds.flatMap((kind, index) => [
      [addresses.forwarders[index], { balance: '0x64', nonce: '0x1', code: forward(kind, calm) }],
      [addresses.strictForwarders[index], { balance: '0x64', nonce: '0x1', code: strictForward(kind) }],
    ]),
  ),
  ...Object.fromEntries(
    Object.values(leaves).map((code, index) => [
      addresses.leaves[index],
      {
        balance: index % 3 === 0 ? '0x0' : '0x3e8',
        nonce: '0x1',
        code,
        storage: { '0x05': '0x07', '0x06': '0x09' },
      },
    ]),
  ),
})
