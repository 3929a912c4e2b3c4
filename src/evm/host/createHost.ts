import { toHex } from '../../base/encoding/hex.ts'
import type { ExecutionContext, ExecutionLimits, InterruptReason, Precompile } from '../types.ts'
import type { EvmInstance, HostImports } from './instance.ts'
import { writeWord } from './words.ts'

/** The parts of an execution that the EVM's host functions use. */
export interface HostState {
  /** The context; an execution that is kept gets another one when it moves to a later state. */
  context: ExecutionContext
  /** The limits of the call that runs now, in place of those of the context. */
  limits: ExecutionLimits | undefined
  readonly precompiles: ReadonlyMap<number, Precompile>
  /** The precompiles of the fork, without overrides. */
  readonly forkPrecompiles: ReadonlyMap<number, Precompile>
  readonly instance: EvmInstance
  /** Deployed code that does not fit into the EVM's memory, by hash in hex. */
  readonly keptCode: Map<string, Uint8Array>
  /** Removes the frames of a trace that was interrupted. */
  readonly resetTrace: () => void
  /** The number of gas slices since the last top-level call began. */
  slices: number
}

const sliceGas = 500_000n
const reasons: readonly InterruptReason[] = ['deadline', 'gas budget', 'memory limit']

const memoryLimit = reasons.indexOf('memory limit') + 1

/** Returns the reason that the EVM's number means. */
export const interruptReason = (number: number): InterruptReason => reasons[number - 1] ?? 'memory limit'

type QuietImports = Omit<HostImports, 'step' | 'fault' | 'enter' | 'exit' | 'log' | 'text' | 'read'>

/** Creates the host functions that read state and block from the execution that `current` returns. */
export const createHost = (current: () => HostState): QuietImports => {
  /** Returns the number of the reason to stop before `cost` more gas is used, or 0. */
  const isOver = (cost = 0n): number => {
    const { context, limits = context.limits, slices } = current()
    if (limits?.deadline !== undefined && performance.now() > limits.deadline) return 1
    if (limits?.gasBudget !== undefined && BigInt(slices) * sliceGas + cost > limits.gasBudget) return 2
    return 0
  }

  return {
    account: (address, out) => {
      const { context, instance } = current()
      const account = context.evmState.account(instance.copy(address, 20))
      if (account === undefined) return 0
      const { view } = instance
      view.setBigUint64(out, account.nonce, true)
      writeWord(view, out + 8, account.balance)
      instance.bytes.set(account.codeHash, out + 40)
      return 1
    },
    storage: (address, slot, out) => {
      const { context, instance } = current()
      instance.bytes.set(context.evmState.storage(instance.copy(address, 20), instance.copy(slot, 32)), out)
    },
    code: (hash) => {
      const { context, instance, keptCode } = current()
      const key = instance.copy(hash, 32)
      const code = (keptCode.size > 0 ? keptCode.get(toHex(key)) : undefined) ?? context.evmState.code(key)
      const to = instance.run.reserveCode(code.length)
      if (to !== 0) instance.bytes.set(code, to)
    },
    keep: (hash, bytes, length) => {
      const { instance, keptCode } = current()
      keptCode.set(toHex(instance.copy(hash, 32)), instance.copy(bytes, length))
    },
    hasStorage: (address) => {
      const { context, instance } = current()
      return context.evmState.hasStorage(instance.copy(address, 20)) ? 1 : 0
    },
    blockHash: (number, out) => {
      const { context, instance } = current()
      // The machine's words of 64 bits come with a sign.
      instance.bytes.set(context.block.blockHash(BigInt.asUintN(64, number)), out)
    },
    precompile: (id, input, length, gas) => {
      const { context, precompiles, instance } = current()
      const precompile = precompiles.get(id)
      if (precompile === undefined) return -1n
      const data = instance.copy(input, length)
      const cost = precompile.gas(data, context.fork)
      if (cost > gas) return -2n
      // Gas is counted only afterwards, and one precompile can take as long as a whole budget.
      let reason = isOver(cost)
      if (reason !== 0) return -10n - BigInt(reason)
      const output = precompile.run(data, () => {
        reason ||= isOver()
        return reason !== 0
      })
      if (reason !== 0) return -10n - BigInt(reason)
      if (output === undefined) return -1n
      const to = instance.run.reserveReturn(output.length)
      if (to === 0) return -10n - BigInt(memoryLimit)
      instance.bytes.set(output, to)
      return gas - cost
    },
    tick: () => {
      current().slices++
      return isOver()
    },
  }
}
