import type { HaltReason } from '../../types.ts'

/**
 * Parity's words for a failed frame. Parity had no frame for a call that does not begin (too deep, no funds, a collision);
 * those have the words of reth or a capital letter.
 */
const words: Readonly<Record<HaltReason, string>> = {
  'execution reverted': 'Reverted',
  'out of gas': 'Out of gas',
  'stack underflow': 'Stack underflow',
  'stack overflow': 'Out of stack',
  'invalid opcode': 'Bad instruction',
  'invalid jump destination': 'Bad jump destination',
  'write protection': 'Mutable Call In Static Context',
  'return data out of bounds': 'Out of bounds',
  'max call depth exceeded': 'Max call depth exceeded',
  'insufficient balance for transfer': 'Insufficient balance for transfer',
  'contract address collision': 'Contract address collision',
  'max code size exceeded': 'Out of gas',
  'max initcode size exceeded': 'Out of gas',
  'invalid code: must not begin with 0xef': 'Invalid code',
  'contract creation code storage out of gas': 'Out of gas',
  'nonce uint64 overflow': 'Nonce overflow',
  'precompile failed': 'Built-in failed',
}

export const toParityError = (reason: HaltReason): string => words[reason]
