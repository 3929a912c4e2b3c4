import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { concatBytes, fromBigInt } from '../../src/base/encoding/bytes.ts'
import { fromHex } from '../../src/base/encoding/hex.ts'
import { compileToken } from '../support/chain/contracts.ts'
import { assemble } from './assembler.ts'

/** A contract and one call of it. */
export interface Program {
  readonly name: string
  readonly code: Uint8Array
  readonly input: Uint8Array
  readonly gas: bigint
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export const caller = fromBigInt(0xc0ffeen, 20)

const loop = (count: number, start: string, body: string): Uint8Array =>
  assemble(`${start} ${count} next: ${body} 1 SWAP1 SUB DUP1 @next JUMPI STOP`)

const word = (value: bigint): Uint8Array => fromBigInt(value, 32)

/** Operands of the arithmetic loop: all 256 bits in use. */
const factor = '0xd1342543de82ef95a0b428c7e9f7c2a51e35a7bd8f1bbcdc9e3779b97f4a7c15'
const addend = '0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95'

const token = (): Uint8Array => fromHex(`0x${compileToken().deployedBytecode.object}`)

const selector = (signature: string): Uint8Array =>
  keccak256(new TextEncoder().encode(signature)).subarray(0, 4)

const none = { input: new Uint8Array(0), storage: [] }

/** `scale` shortens the loops for slow machines; figures are for gas, so they stay comparable. */
export const createPrograms = (scale: number): readonly Program[] => {
  const times = (count: number): number => Math.max(1, Math.round(count * scale))
  const arithmetic = times(200_000)
  const hashes = times(100_000)
  const transfers = times(2_000)
  const copies = times(20_000)
  const calls = times(20_000)
  const gas = 10_000_000_000n
  return [
    {
      ...none,
      name: '256-bit arithmetic loop',
      code: loop(arithmetic, factor, `SWAP1 ${factor} MUL ${addend} ADD DUP1 13 SHR XOR DUP1 NOT ADD SWAP1`),
      gas,
    },
    {
      ...none,
      name: 'small-number loop',
      code: loop(arithmetic, '1', 'SWAP1 3 ADD DUP1 5 LT XOR SWAP1'),
      gas,
    },
    {
      ...none,
      name: 'keccak loop',
      code: loop(hashes, '', '32 0 KECCAK256 0 MSTORE'),
      gas,
    },
    {
      name: 'ERC-20 transfers (solc)',
      code: token(),
      input: concatBytes(selector('transfers(uint256)'), word(BigInt(transfers))),
      storage: [[keccak256(concatBytes(new Uint8Array(12), caller, word(0n))), word(10n ** 24n)]],
      gas,
    },
    {
      ...none,
      name: '100 storage reads, cold',
      code: loop(100, '', 'DUP1 SLOAD POP'),
      storage: Array.from({ length: 100 }, (_, i) => [word(BigInt(i + 1)), word(7n)] as const),
      gas,
    },
    {
      ...none,
      name: 'memory copy of 4 KB',
      code: loop(copies, '0 8192 MSTORE', '4096 0 4096 MCOPY'),
      gas,
    },
    {
      ...none,
      name: 'calls of itself, 1000 deep',
      // Input: the depth left. Each frame calls the next with one less.
      code: assemble(`0 CALLDATALOAD DUP1 @deeper JUMPI STOP
        deeper: 1 SWAP1 SUB 0 MSTORE 0 0 32 0 0 ADDRESS GAS CALL STOP`),
      input: word(1000n),
      gas,
    },
    {
      ...none,
      name: 'calls of an empty account',
      code: loop(calls, '', '0 0 0 0 0 0xffffff GAS CALL POP'),
      gas,
    },
  ]
}
