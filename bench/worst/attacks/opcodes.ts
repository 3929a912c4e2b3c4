import { fromBigInt } from '../../../src/base/encoding/bytes.ts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { signAuthorization } from '../../../src/chain/transaction/signature.ts'
import type { Assembler } from '../../../test/support/evm/assembler.ts'
import { type Attack, attack, counting, endless, numbered, ops } from './attack.ts'

/** Instructions at their worst: operands, memory, state, calls, logs; and what a transaction brings along. */

const huge = 2n ** 256n - 1n
const odd = 0xfedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543211n

/** An instruction on the same large operands again and again. */
const arithmetic = (name: string, op: number, ...operands: readonly bigint[]): Attack =>
  attack({
    name,
    code: endless(
      (assembler) => {
        for (let index = 0; index < operands.length; index++) assembler.op(0x7f + operands.length)
        assembler.op(op, 0x50)
      },
      (assembler) => {
        for (const operand of [...operands].reverse()) assembler.push(operand)
      },
    ),
  })

const call = (assembler: Assembler, to: Uint8Array, gas: bigint): Assembler =>
  assembler
    .op(0x5f, 0x5f, 0x5f, 0x5f, 0x5f)
    .push(BigInt(toHex(to)))
    .push(gas)
    .op(0xf1, 0x50)

const slots = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [toHex(fromBigInt(BigInt(index), 32)), '0x01']),
  )

const codeOf = (build: (assembler: Assembler) => void): Uint8Array => counting(build)

export const opcodeAttacks = (): readonly Attack[] => [
  attack({ name: 'JUMPDEST', code: endless(ops(0x5b)) }),
  attack({ name: 'PUSH0 POP', code: endless(ops(0x5f, 0x50)) }),
  attack({ name: 'PUSH32 POP', code: endless((assembler) => void assembler.push(huge, 32).op(0x50)) }),
  attack({
    name: 'SWAP16',
    code: endless(ops(0x9f), (assembler) => void assembler.op(...Array<number>(17).fill(0x58))),
  }),
  attack({
    name: 'DUP16 POP',
    code: endless(ops(0x8f, 0x50), (assembler) => void assembler.op(...Array<number>(17).fill(0x58))),
  }),
  attack({ name: 'a loop of JUMP', code: Uint8Array.of(0x5b, 0x5f, 0x56) }),
  attack({ name: 'a loop of JUMPI', code: Uint8Array.of(0x5b, 0x60, 1, 0x5f, 0x57) }),
  attack({ name: 'PC, GAS and MSIZE', code: endless(ops(0x58, 0x5a, 0x59, 0x50, 0x50, 0x50)) }),
  arithmetic('MUL', 0x02, huge, odd),
  arithmetic('DIV', 0x04, huge, 2n ** 130n + 1n),
  arithmetic('SDIV', 0x05, 2n ** 255n, 2n ** 130n + 1n),
  arithmetic('MOD', 0x06, huge, 2n ** 129n + 3n),
  arithmetic('SMOD', 0x07, huge - 1n, 2n ** 129n + 3n),
  arithmetic('ADDMOD', 0x08, huge, huge - 1n, 2n ** 192n + 1n),
  arithmetic('MULMOD', 0x09, huge, huge - 1n, 2n ** 192n + 1n),
  arithmetic('MULMOD of 256 bits', 0x09, huge, huge - 1n, 2n ** 255n + 1n),
  arithmetic('EXP', 0x0a, odd, huge),
  arithmetic('EXP with a small exponent', 0x0a, odd, 255n),
  arithmetic('SIGNEXTEND', 0x0b, 15n, huge),
  arithmetic('SAR', 0x1d, 77n, huge),
  arithmetic('BYTE', 0x1a, 15n, huge),
  attack({ name: 'KECCAK256 of nothing', code: endless(ops(0x5f, 0x5f, 0x20, 0x50)) }),
  attack({
    name: 'KECCAK256 of 32 bytes',
    code: endless((assembler) => void assembler.push(32n).op(0x5f, 0x20, 0x50)),
  }),
  attack({
    name: 'KECCAK256 of 100,000 bytes',
    code: endless((assembler) => void assembler.push(100_000n).op(0x5f, 0x20, 0x50)),
  }),
  attack({
    name: 'MCOPY of 100,000 bytes by one',
    code: endless((assembler) => void assembler.push(100_000n).op(0x5f).push(1n).op(0x5e)),
  }),
  attack({ name: 'MCOPY of nothing', code: endless(ops(0x5f, 0x5f, 0x5f, 0x5e)) }),
  attack({
    name: 'CALLDATACOPY of 100,000 bytes that are not there',
    code: endless((assembler) => void assembler.push(100_000n).op(0x5f, 0x5f, 0x37)),
  }),
  attack({
    name: 'CODECOPY of 24,576 bytes',
    code: endless((assembler) => void assembler.push(24_576n).op(0x5f, 0x5f, 0x39)),
  }),
  attack({
    name: 'MSTORE and MLOAD',
    code: endless((assembler) => void assembler.push(huge, 32).push(33n).op(0x52).push(35n).op(0x51, 0x50)),
  }),
  attack({
    name: 'calls that take 100,000 bytes of memory each',
    code: codeOf((assembler) => void call(assembler, numbered(0), 40_000n)),
    others: [[numbered(0), Uint8Array.of(0x62, 0x01, 0x86, 0xa0, 0x51)]],
  }),
  attack({
    name: 'calls that return 100,000 bytes, and copies of them',
    code: codeOf(
      (assembler) => void call(assembler, numbered(0), 40_000n).push(100_000n).op(0x5f, 0x5f, 0x3e),
    ),
    others: [[numbered(0), Uint8Array.of(0x62, 0x01, 0x86, 0xa0, 0x5f, 0xf3)]],
  }),
  attack({
    name: 'calls of an empty contract',
    code: endless((assembler) => void call(assembler, numbered(0), 0n)),
    others: [[numbered(0), Uint8Array.of(0x00)]],
  }),
  attack({
    name: 'calls that fail at once',
    code: endless((assembler) => void call(assembler, numbered(0), 100n)),
    others: [[numbered(0), Uint8Array.of(0x62, 0x01, 0x86, 0xa0, 0x51)]],
  }),
  attack({
    name: 'calls of itself, to the depth that the gas allows',
    // After the deepest call the others end too: again and again from the top.
    code: codeOf(
      (assembler) =>
        void assembler
          .op(0x5f, 0x5f, 0x5f, 0x5f, 0x5f)
          .push(BigInt(toHex(numbered(0))))
          .op(0x5a, 0xf1, 0x50),
    ),
    others: [
      [
        numbered(0),
        codeOf((assembler) => void assembler.op(0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x30, 0x5a, 0xf1, 0x50)),
      ],
    ],
  }),
  attack({
    name: 'calls with a value',
    code: endless((assembler) =>
      assembler
        .op(0x5f, 0x5f, 0x5f, 0x5f)
        .push(1n)
        .push(BigInt(toHex(numbered(0))))
        .op(0x5f, 0xf1, 0x50),
    ),
    others: [[numbered(0), Uint8Array.of(0x00)]],
  }),
  attack({ name: 'BALANCE of cold accounts', code: codeOf(ops(0x80, 0x31, 0x50)) }),
  attack({ name: 'EXTCODEHASH of a warm account', code: endless(ops(0x30, 0x3f, 0x50)) }),
  attack({ name: 'BLOCKHASH', code: endless(ops(0x5f, 0x40, 0x50)) }),
  attack({ name: 'SLOAD of cold slots', code: codeOf(ops(0x80, 0x54, 0x50)), storage: slots(25_000) }),
  attack({ name: 'SLOAD of a warm slot', code: endless(ops(0x5f, 0x54, 0x50)) }),
  attack({ name: 'SSTORE of new slots', code: codeOf(ops(0x30, 0x81, 0x55)) }),
  attack({ name: 'SSTORE of one slot', code: codeOf(ops(0x80, 0x5f, 0x55)) }),
  attack({ name: 'SSTORE that clears', code: codeOf(ops(0x5f, 0x81, 0x55)), storage: slots(12_000) }),
  attack({ name: 'TSTORE of new slots', code: codeOf(ops(0x80, 0x80, 0x5d)) }),
  attack({
    name: 'TSTORE of slots that differ in their highest bits only',
    code: codeOf((assembler) => void assembler.op(0x80, 0x81).push(236n).op(0x1b, 0x5d)),
  }),
  attack({ name: 'TLOAD of slots that are not there', code: codeOf(ops(0x80, 0x5c, 0x50)) }),
  attack({ name: 'LOG0 of nothing', code: endless(ops(0x5f, 0x5f, 0xa0)) }),
  attack({ name: 'LOG4 of nothing', code: endless(ops(0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0xa4)) }),
  attack({
    name: 'LOG0 of 100,000 bytes',
    code: endless((assembler) => void assembler.push(100_000n).op(0x5f, 0xa0)),
  }),
  attack({
    name: 'calls that write, log and revert',
    code: codeOf((assembler) => void call(assembler, numbered(0), 60_000n)),
    others: [
      [
        numbered(0),
        Uint8Array.from([...Array(40).fill([0x5a, 0x5a, 0x5d, 0x5f, 0x5f, 0xa0]).flat(), 0x5f, 0x5f, 0xfd]),
      ],
    ],
  }),
  attack({ name: 'CREATE from nothing', code: endless(ops(0x5f, 0x5f, 0x5f, 0xf0, 0x50)) }),
  attack({
    name: 'contracts that destroy themselves as they are created',
    code: endless(
      // Init code CALLER SELFDESTRUCT.
      (assembler) => void assembler.push(2n).op(0x5f).push(1n).op(0xf0, 0x50),
      (assembler) => void assembler.push(0x33ffn << 240n, 32).op(0x5f, 0x52),
    ),
  }),
  attack({
    name: 'an access list of 24,000 slots',
    code: Uint8Array.of(0x00),
    transaction: {
      accessLists: [
        Array.from({ length: 24 }, (_, index) => ({
          address: toHex(numbered(index)),
          storageKeys: Array.from({ length: 1_000 }, (_key, slot) => toHex(fromBigInt(BigInt(slot), 32))),
        })),
      ],
    },
  }),
  attack({
    name: '2,000 authorisations',
    code: Uint8Array.of(0x00),
    transaction: {
      authorizationList: Array.from({ length: 2_000 }, (_, index) => {
        const key = fromBigInt(0x77_0000n + BigInt(index), 32)
        const { chainId, address, nonce, yParity, r, s } = signAuthorization(
          { chainId: 1n, address: numbered(0), nonce: 0n },
          key,
        )
        const hex = (value: bigint | number): string => `0x${value.toString(16)}`
        return {
          chainId: hex(chainId),
          address: toHex(address),
          nonce: hex(nonce),
          v: hex(yParity),
          r: hex(r),
          s: hex(s),
        }
      }),
    },
  }),
]
