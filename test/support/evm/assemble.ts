import { opcodeName } from '../../../src/evm/tracing/opcodeNames.ts'

const codes = new Map(Array.from({ length: 256 }, (_, op) => [opcodeName(op), op]))

const push = (value: bigint): string => {
  if (value === 0n) return '5f'
  const digits = value.toString(16)
  const size = Math.ceil(digits.length / 2)
  return (0x5f + size).toString(16).padStart(2, '0') + digits.padStart(size * 2, '0')
}

/** Assembles names of instructions, numbers to push, and raw bytes after `#`; returns DATA. */
export const assemble = (text: string): string => {
  const bytes = text
    .trim()
    .split(/\s+/)
    .map((token) => {
      if (token.startsWith('#')) return token.slice(1)
      const code = codes.get(token)
      return code === undefined ? push(BigInt(token)) : code.toString(16).padStart(2, '0')
    })
  return `0x${bytes.join('')}`
}
