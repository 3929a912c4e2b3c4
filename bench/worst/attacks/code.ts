import { Assembler } from '../../../test/support/evm/assembler.ts'
import { type Attack, attack, counting, maxCodeSize, numbered } from './attack.ts'

/** Code that is large: called in turn, jumped about in, copied, created from. */

/** The largest contract, all jump destinations, with a beginning of its own. */
const large = (
  index: number,
  begin: (assembler: Assembler) => void,
  end: readonly number[] = [0x00],
): Uint8Array => {
  const code = new Uint8Array(maxCodeSize).fill(0x5b)
  const assembler = new Assembler()
  begin(assembler)
  code.set(assembler.push(BigInt(index), 3).op(0x50).assemble())
  code.set(end, maxCodeSize - end.length)
  return code
}

const contracts = (count: number, create: (index: number) => Uint8Array) =>
  Array.from({ length: count }, (_, index) => [numbered(index), create(index)] as const)

/** Calls so many contracts in turn with so much gas each. */
const rotation = (
  name: string,
  { count, gas, create }: { count: number; gas: bigint; create: (index: number) => Uint8Array },
): Attack =>
  attack({
    name,
    code: counting((assembler) =>
      assembler
        .push(0n)
        .push(0n)
        .push(0n)
        .push(0n)
        .push(0n)
        .push(BigInt(count))
        .op(0x86, 0x06)
        .push(0x10000n)
        .op(0x01)
        .push(gas)
        .op(0xf1, 0x50),
    ),
    others: contracts(count, create),
  })

const toEnd = (assembler: Assembler): void => void assembler.push(BigInt(maxCodeSize - 2), 2).op(0x56)
const nothing = (): void => {}
const stop = (assembler: Assembler): void => void assembler.op(0x00)

export const codeAttacks = (): readonly Attack[] => [
  rotation('256 large contracts in turn, which stop at once', {
    count: 256,
    gas: 1_000n,
    create: (index) => large(index, stop),
  }),
  ...[256, 2_000].map((count) =>
    rotation(`${count.toLocaleString('en')} large contracts in turn, a jump to their end`, {
      count,
      gas: 1_000n,
      create: (index) => large(index, toEnd),
    }),
  ),
  rotation('256 large contracts in turn, all of their 24,576 instructions', {
    count: 256,
    gas: 30_000n,
    create: (index) => large(index, nothing),
  }),
  rotation('2,000 large contracts once each, all of their 24,576 instructions', {
    count: 2_000,
    gas: 30_000n,
    create: (index) => large(index, nothing),
  }),
  rotation('200 large contracts made hot and left', {
    count: 200,
    gas: 320_000n,
    create: (index) =>
      large(
        index,
        (assembler) => void assembler.push(BigInt(maxCodeSize - 5), 2).op(0x56),
        [0x5b, 0x61, 0x5f, 0xfb, 0x56],
      ),
  }),
  attack({
    name: 'creations from 49,152 bytes that jump to their end',
    code: (() => {
      const assembler = new Assembler()
      // JUMPDESTs everywhere, from a contract that holds half of them.
      for (const to of [0n, BigInt(maxCodeSize)])
        assembler.push(BigInt(maxCodeSize)).push(0n).push(to).push(0x10000n).op(0x3c)
      assembler
        .push(0x61bffe5600000000000000000000000000000000000000000000000000000000n, 32)
        .push(0n)
        .op(0x52)
      const start = assembler.newLabel()
      return assembler
        .place(start)
        .op(0x5b)
        .push(49_152n)
        .push(0n)
        .push(0n)
        .op(0xf0, 0x50)
        .pushLabel(start)
        .op(0x56)
        .assemble()
    })(),
    others: [[numbered(0), new Uint8Array(maxCodeSize).fill(0x5b)]],
  }),
  attack({
    name: 'EXTCODECOPY of 24,576 bytes of 256 contracts',
    code: counting((assembler) =>
      assembler
        .push(BigInt(maxCodeSize))
        .push(0n)
        .push(0n)
        .op(0x83)
        .push(255n)
        .op(0x16)
        .push(0x10000n)
        .op(0x01, 0x3c),
    ),
    others: contracts(256, (index) => large(index, nothing)),
  }),
  attack({
    name: 'EXTCODESIZE of 256 warm contracts',
    code: counting((assembler) => assembler.op(0x80).push(255n).op(0x16).push(0x10000n).op(0x01, 0x3b, 0x50)),
    others: contracts(256, (index) => large(index, nothing)),
  }),
  attack({
    name: 'deployments of 24,576 bytes',
    code: (() => {
      const assembler = new Assembler()
      // Init code that returns what there is in memory: PUSH2 6000, PUSH0, RETURN; the counter makes it a new one.
      const start = assembler.newLabel()
      assembler.push(0n).place(start).op(0x5b)
      assembler
        .push(0x6160005ff3n << 216n, 32)
        .push(0n)
        .op(0x52)
      return assembler.push(32n).push(0n).push(0n).op(0xf0, 0x50).pushLabel(start).op(0x56).assemble()
    })(),
  }),
]
