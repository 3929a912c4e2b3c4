/** A program as names of instructions, numbers to push and labels; enough for benchmarks. */

const numbers: Readonly<Record<string, number>> = {
  STOP: 0x00,
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  LT: 0x10,
  XOR: 0x18,
  NOT: 0x19,
  SHR: 0x1c,
  KECCAK256: 0x20,
  ADDRESS: 0x30,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  GAS: 0x5a,
  MCOPY: 0x5e,
  DUP1: 0x80,
  DUP2: 0x81,
  DUP3: 0x82,
  SWAP1: 0x90,
  SWAP2: 0x91,
  CALL: 0xf1,
  RETURN: 0xf3,
}

const push = (value: bigint): number[] => {
  const digits = value.toString(16)
  const bytes = [...Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')]
  return [0x5f + bytes.length, ...bytes]
}

/** `name:` is a jump destination, `@name` pushes it; digits (also `0x…`) are pushed as they are. */
export const assemble = (source: string): Uint8Array => {
  const code: number[] = []
  const labels = new Map<string, number>()
  const uses: [at: number, label: string][] = []
  for (const word of source.split(/\s+/).filter((text) => text !== '')) {
    if (word.endsWith(':')) {
      labels.set(word.slice(0, -1), code.length)
      code.push(0x5b)
    } else if (word.startsWith('@')) {
      uses.push([code.length + 1, word.slice(1)])
      code.push(0x61, 0, 0)
    } else if (/^[0-9]/.test(word)) code.push(...push(BigInt(word)))
    else {
      const number = numbers[word]
      if (number === undefined) throw new Error(`unknown instruction ${word}`)
      code.push(number)
    }
  }
  for (const [at, label] of uses) {
    const target = labels.get(label)
    if (target === undefined) throw new Error(`unknown label ${label}`)
    code[at] = target >> 8
    code[at + 1] = target & 0xff
  }
  return Uint8Array.from(code)
}
