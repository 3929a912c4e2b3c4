import type { CallKind, HaltReason } from '../types.ts'

/** The halt reasons by the EVM's numbers (assembly/layout.ts); 0 is success. */
const halts: readonly (HaltReason | undefined)[] = [
  undefined,
  'execution reverted',
  'out of gas',
  'stack underflow',
  'stack overflow',
  'invalid opcode',
  'invalid jump destination',
  'write protection',
  'return data out of bounds',
  'max call depth exceeded',
  'insufficient balance for transfer',
  'contract address collision',
  'max code size exceeded',
  'max initcode size exceeded',
  'invalid code: must not begin with 0xef',
  'contract creation code storage out of gas',
  'nonce uint64 overflow',
  'precompile failed',
]

export const haltReason = (status: number): HaltReason | undefined => halts[status]

export const haltStatus = (reason: HaltReason): number => halts.indexOf(reason)

const kinds: Readonly<Record<number, CallKind>> = {
  240: 'CREATE',
  241: 'CALL',
  242: 'CALLCODE',
  244: 'DELEGATECALL',
  245: 'CREATE2',
  250: 'STATICCALL',
  255: 'SELFDESTRUCT',
}

export const callKind = (op: number): CallKind => kinds[op] ?? 'CALL'
