import { concatBytes, fromBigInt } from '../../../src/base/encoding/bytes.ts'
import {
  bnPair,
  even,
  field,
  g1Bytes,
  g2Bytes,
  modexp,
  ones,
  repeated,
  sample,
  scalar,
  word,
} from '../precompileInputs.ts'
import { type Attack, attack, endless } from './attack.ts'

/** Every precompile on an input that is hard for what it costs, called in a loop. */

/** Copies the call data to memory once and calls the precompile with it until the gas is gone. */
const calling = (name: string, address: number, input: Uint8Array, fork = 'Prague'): Attack =>
  attack({
    name: `${name} (${fork})`,
    kind: 'precompile',
    fork,
    gas: fork === 'Osaka' ? 16_777_216n : 60_000_000n,
    input,
    code: endless(
      (assembler) =>
        void assembler
          .op(0x5f, 0x5f)
          .push(BigInt(input.length))
          .op(0x5f)
          .push(BigInt(address))
          .op(0x5a, 0xfa, 0x50),
      (assembler) => void assembler.op(0x36, 0x5f, 0x5f, 0x37),
    ),
  })

const modexpAttacks = (fork: string): Attack[] =>
  [1, 8, 24, 32, 40, 64, 128, 256, 512, 1024].flatMap((length) =>
    [ones(length), even(length)].flatMap((modulus, kind) =>
      [1, 32, ...(length <= 64 ? [1024] : [])].map((exponent) =>
        calling(
          `modexp of ${length} bytes, ${kind === 0 ? 'odd' : 'even'}, exponent of ${exponent}`,
          0x05,
          modexp(length, exponent, modulus),
          fork,
        ),
      ),
    ),
  )

export const precompileAttacks = (): readonly Attack[] => {
  const blake = (rounds: number): Uint8Array =>
    concatBytes(fromBigInt(BigInt(rounds), 4), new Uint8Array(208), Uint8Array.of(1))
  return [
    calling('ecrecover', 0x01, sample(0x01)),
    calling('sha256 of nothing', 0x02, new Uint8Array(0)),
    calling('sha256 of 20,000 bytes', 0x02, new Uint8Array(20_000)),
    calling('ripemd160 of nothing', 0x03, new Uint8Array(0)),
    calling('ripemd160 of 20,000 bytes', 0x03, new Uint8Array(20_000)),
    calling('identity of nothing', 0x04, new Uint8Array(0)),
    calling('identity of 20,000 bytes', 0x04, new Uint8Array(20_000)),
    calling('bn254 add', 0x06, concatBytes(bnPair.subarray(0, 64), ...[1n, 2n].map(word))),
    calling('bn254 multiply', 0x07, concatBytes(bnPair.subarray(0, 64), scalar)),
    calling('bn254 pairing of none', 0x08, new Uint8Array(0)),
    calling('bn254 pairing of 1', 0x08, bnPair),
    calling('bn254 pairing of 30', 0x08, repeated(bnPair, 30)),
    calling('blake2f of no round', 0x09, blake(0)),
    calling('blake2f of 100,000 rounds', 0x09, blake(100_000)),
    calling('point evaluation', 0x0a, sample(0x0a)),
    calling('BLS G1 add', 0x0b, concatBytes(g1Bytes, sample(0x0b).subarray(0, 128))),
    ...[1, 16, 128].map((count) =>
      calling(`BLS G1 multiplication of ${count}`, 0x0c, repeated(concatBytes(g1Bytes, scalar), count)),
    ),
    calling('BLS G2 add', 0x0d, concatBytes(g2Bytes, sample(0x0d).subarray(0, 256))),
    ...[1, 16, 128].map((count) =>
      calling(`BLS G2 multiplication of ${count}`, 0x0e, repeated(concatBytes(g2Bytes, scalar), count)),
    ),
    calling('BLS pairing of 1', 0x0f, concatBytes(g1Bytes, g2Bytes)),
    calling('BLS pairing of 30', 0x0f, repeated(concatBytes(g1Bytes, g2Bytes), 30)),
    calling('BLS map to G1', 0x10, field(2n ** 380n)),
    calling('BLS map to G2', 0x11, concatBytes(field(2n ** 380n), field(2n ** 379n))),
    calling('P-256', 0x100, sample(0x100), 'Osaka'),
    ...modexpAttacks('Prague'),
    ...modexpAttacks('Osaka'),
  ]
}
