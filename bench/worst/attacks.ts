import { toQuantity } from '../../src/base/encoding/hex.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { type Attack, blockGas } from './attacks/attack.ts'
import { codeAttacks } from './attacks/code.ts'
import { measureGeth, measureOurs } from './attacks/measure.ts'
import { opcodeAttacks } from './attacks/opcodes.ts'
import { precompileAttacks } from './attacks/precompiles.ts'
import { defineWorstCases, type WorstCase } from './case.ts'
import { findGethEvm } from './machines.ts'

/** A quick run takes one attack of so many, with a tenth of the gas. */
const quickStride = 24

const shortened = (one: Attack): Attack => {
  const gasLimit = one.test.transaction.gasLimit.map((gas) => toQuantity(BigInt(gas) / 10n))
  return { ...one, test: { ...one.test, transaction: { ...one.test.transaction, gasLimit } } }
}

let modules: ReturnType<typeof loadEvmModules> | undefined

/** One transaction by processor time, here and in geth's `evm statetest`, which must leave the same state. */
const toWorstCase = (one: Attack): WorstCase => {
  let ourRoot: string | undefined
  let ourGas: number | undefined
  const ours = async () => {
    modules ??= loadEvmModules()
    const loaded = await modules
    return {
      run: () => {
        const { gas, cpuMs, stateRoot } = measureOurs(loaded, one)
        ourRoot = stateRoot
        ourGas = gas
        return { gas, ms: cpuMs }
      },
    }
  }
  const evm = findGethEvm()
  if (evm === undefined) return { name: one.name, sides: { perihelion: ours } }
  const geth = () => ({
    run: () => {
      const { cpuMs, stateRoot } = measureGeth(evm, one)
      if (ourRoot !== undefined && stateRoot !== ourRoot)
        throw new Error(`${one.name}: geth has the state ${stateRoot}, not ${ourRoot}`)
      return { gas: ourGas ?? Number(blockGas), ms: cpuMs }
    },
  })
  return { name: one.name, sides: { perihelion: ours, geth } }
}

/** Transactions that spend a block's gas where it hurts. */
export const part = defineWorstCases(({ isQuick }) => {
  const attacks = [...codeAttacks(), ...opcodeAttacks(), ...precompileAttacks()]
  const chosen = isQuick ? attacks.filter((_, index) => index % quickStride === 0).map(shortened) : attacks
  return chosen.map(toWorstCase)
})
