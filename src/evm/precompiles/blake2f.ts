import type { Precompile } from '../types.ts'
import { kernel, kernelMemory, scratch } from './kernel.ts'

/** EIP-152: rounds (4 bytes), state (64), message (128), two counters (16), final flag (1). */
const inputLength = 213

/** The rounds between two polls of the interrupt: about two milliseconds. */
const roundsPerSlice = 50_000

const roundsOf = (input: Uint8Array): number =>
  new DataView(input.buffer, input.byteOffset, input.byteLength).getUint32(0)

export const blake2f: Precompile = {
  gas: (input) => (input.length === inputLength ? BigInt(roundsOf(input)) : 0n),
  run: (input, interrupt) => {
    const flag = input[inputLength - 1]
    if (input.length !== inputLength || flag === undefined || flag > 1) return undefined
    const memory = kernelMemory(512)
    const state = scratch
    const message = state + 64
    const counters = message + 128
    const work = counters + 16
    memory.set(input.subarray(4, inputLength - 1), state)
    kernel.blake2Begin(work, state, counters, flag)
    const rounds = roundsOf(input)
    for (let from = 0; from < rounds; from += roundsPerSlice) {
      if (interrupt?.()) return undefined
      kernel.blake2Rounds(work, message, from, Math.min(rounds, from + roundsPerSlice))
    }
    kernel.blake2End(state, work)
    return memory.slice(state, state + 64)
  },
}
