// What each instruction costs under a fork's rules, and what it takes from the stack and gives to it.
import {
  BERLIN, BYZANTIUM, CANCUN, CHECKS, CONSTANTINOPLE, HOMESTEAD, ISTANBUL, LONDON, OSAKA, SHANGHAI, STATIC_GAS,
  TANGERINE,
} from '../layout'
import * as O from '../opcodes'

function define(op: i32, gas: u16, takes: u8, gives: u8): void {
  const at = STATIC_GAS + <usize>op * 4
  store<u16>(at, gas)
  store<u8>(at, takes, 2)
  store<u8>(at, gives, 3)
  const row = CHECKS + <usize>op * 8
  const need = gas == UNDEFINED ? NEVER : <u32>takes * 32
  const span = gas == UNDEFINED ? 0 : (1024 - max<u32>(<u32>gives, <u32>takes)) * 32
  store<u16>(row, gas == UNDEFINED ? 0 : gas)
  store<u16>(row, <u16>need, 2)
  store<u32>(row, span, 4)
}

/** A stack that nobody has. */
export const NEVER: u32 = 0xffe0
export const UNDEFINED: u16 = 0xffff

export function defineOpcodes(fork: i32): void {
  for (let i = 0; i < 256; i++) define(i, UNDEFINED, 0, 0)
  define(O.STOP, 0, 0, 0)
  define(O.ADD, 3, 2, 1)
  define(O.MUL, 5, 2, 1)
  define(O.SUB, 3, 2, 1)
  for (let i = O.DIV; i <= O.SMOD; i++) define(i, 5, 2, 1)
  define(O.ADDMOD, 8, 3, 1)
  define(O.MULMOD, 8, 3, 1)
  define(O.EXP, 10, 2, 1)
  define(O.SIGNEXTEND, 5, 2, 1)
  for (let i = O.LT; i <= O.EQ; i++) define(i, 3, 2, 1)
  define(O.ISZERO, 3, 1, 1)
  for (let i = O.AND; i <= O.XOR; i++) define(i, 3, 2, 1)
  define(O.NOT, 3, 1, 1)
  define(O.BYTE, 3, 2, 1)
  define(O.KECCAK, 30, 2, 1)
  define(O.ADDRESS, 2, 0, 1)
  const look: u16 = fork >= BERLIN ? 100 : fork >= TANGERINE ? 700 : 20
  const balance: u16 = fork >= BERLIN ? 100 : fork >= ISTANBUL ? 700 : fork >= TANGERINE ? 400 : 20
  define(O.BALANCE, balance, 1, 1)
  define(O.ORIGIN, 2, 0, 1)
  define(O.CALLER, 2, 0, 1)
  define(O.CALLVALUE, 2, 0, 1)
  define(O.CALLDATALOAD, 3, 1, 1)
  define(O.CALLDATASIZE, 2, 0, 1)
  define(O.CALLDATACOPY, 3, 3, 0)
  define(O.CODESIZE, 2, 0, 1)
  define(O.CODECOPY, 3, 3, 0)
  define(O.GASPRICE, 2, 0, 1)
  define(O.EXTCODESIZE, look, 1, 1)
  define(O.EXTCODECOPY, look, 4, 0)
  define(O.BLOCKHASH, 20, 1, 1)
  for (let i = O.COINBASE; i <= O.GASLIMIT; i++) define(i, 2, 0, 1)
  define(O.POP, 2, 1, 0)
  define(O.MLOAD, 3, 1, 1)
  define(O.MSTORE, 3, 2, 0)
  define(O.MSTORE8, 3, 2, 0)
  define(O.SLOAD, fork >= BERLIN ? 100 : fork >= ISTANBUL ? 800 : fork >= TANGERINE ? 200 : 50, 1, 1)
  define(O.SSTORE, 0, 2, 0)
  define(O.JUMP, 8, 1, 0)
  define(O.JUMPI, 10, 2, 0)
  define(O.PC, 2, 0, 1)
  define(O.MSIZE, 2, 0, 1)
  define(O.GAS, 2, 0, 1)
  define(O.JUMPDEST, 1, 0, 0)
  for (let i = O.PUSH1; i <= O.PUSH32; i++) define(i, 3, 0, 1)
  for (let i = 0; i < 16; i++) {
    define(O.DUP1 + i, 3, <u8>(i + 1), <u8>(i + 2))
    define(O.SWAP1 + i, 3, <u8>(i + 2), <u8>(i + 2))
  }
  for (let i = 0; i <= 4; i++) define(O.LOG0 + i, <u16>(375 * (i + 1)), <u8>(i + 2), 0)
  define(O.CREATE, 32000, 3, 1)
  const call: u16 = fork >= BERLIN ? 100 : fork >= TANGERINE ? 700 : 40
  define(O.CALL, call, 7, 1)
  define(O.CALLCODE, call, 7, 1)
  define(O.RETURN, 0, 2, 0)
  define(O.SELFDESTRUCT, fork >= TANGERINE ? 5000 : 0, 1, 0)
  if (fork >= HOMESTEAD) define(O.DELEGATECALL, call, 6, 1)
  if (fork >= BYZANTIUM) {
    define(O.RETURNDATASIZE, 2, 0, 1)
    define(O.RETURNDATACOPY, 3, 3, 0)
    define(O.STATICCALL, call, 6, 1)
    define(O.REVERT, 0, 2, 0)
  }
  if (fork >= CONSTANTINOPLE) {
    for (let i = O.SHL; i <= O.SAR; i++) define(i, 3, 2, 1)
    define(O.EXTCODEHASH, fork >= BERLIN ? 100 : fork >= ISTANBUL ? 700 : 400, 1, 1)
    define(O.CREATE2, 32000, 4, 1)
  }
  if (fork >= ISTANBUL) {
    define(O.CHAINID, 2, 0, 1)
    define(O.SELFBALANCE, 5, 0, 1)
  }
  if (fork >= LONDON) define(O.BASEFEE, 2, 0, 1)
  if (fork >= SHANGHAI) define(O.PUSH0, 2, 0, 1)
  if (fork >= CANCUN) {
    define(O.BLOBHASH, 3, 1, 1)
    define(O.BLOBBASEFEE, 2, 0, 1)
    define(O.TLOAD, 100, 1, 1)
    define(O.TSTORE, 100, 2, 0)
    define(O.MCOPY, 3, 3, 0)
  }
  if (fork >= OSAKA) define(O.CLZ, 5, 1, 1)
}
