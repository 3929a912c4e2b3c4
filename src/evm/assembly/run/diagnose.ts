// What is known of an instruction before it runs.
import { INVALID_OPCODE, STACK_OVERFLOW, STACK_UNDERFLOW, STATIC_GAS } from '../layout'
import * as O from '../opcodes'

/** Why an instruction may not run with this stack, in the order in which the reference client looks. */
export function diagnose(op: i32, height: i32): i32 {
  const at = STATIC_GAS + <usize>op * 4
  if (load<u16>(at) == 0xffff) return INVALID_OPCODE
  return height < <i32>load<u8>(at, 2) ? STACK_UNDERFLOW : STACK_OVERFLOW
}

/** Whether the traced build learns an instruction's cost only while it runs. */
export function isDynamic(op: i32): bool {
  return (
    op == O.EXP || op == O.KECCAK || op == O.BALANCE || op == O.CALLDATACOPY || op == O.CODECOPY || op == O.RETURNDATACOPY ||
    (op >= O.EXTCODESIZE && op <= O.EXTCODECOPY) || op == O.EXTCODEHASH || (op >= O.MLOAD && op <= O.SSTORE) || op == O.MCOPY ||
    (op >= O.LOG0 && op <= O.LOG4) || op >= O.CREATE && op != O.INVALID
  )
}
