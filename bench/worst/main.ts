// Transactions that spend a block's gas where it hurts, here and in geth's `evm statetest`, by processor time; both have
// to leave the same state. `npm run bench -- worst [part of a name …]`, with `evm` on the path or in GETH_EVM.
import { loadEvmModules } from '../../src/evm/modules.ts'
import { findProgram } from '../../test/support/programs/findProgram.ts'
import { type Attack, blockGas } from './attacks/attack.ts'
import { codeAttacks } from './attacks/code.ts'
import { measureGeth, measureOurs } from './attacks/measure.ts'
import { opcodeAttacks } from './attacks/opcodes.ts'
import { precompileAttacks } from './attacks/precompiles.ts'

const mostBeside: Readonly<Record<Attack['kind'], number>> = { opcode: 2, precompile: 4 }
const mostSeconds = 60

const wanted = process.argv.slice(2)
const attacks = [...codeAttacks(), ...opcodeAttacks(), ...precompileAttacks()].filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
)
const evm = findProgram('evm', 'GETH_EVM')
if (evm === undefined) console.log('geth is left out: no `evm` on PATH, and GETH_EVM names none')
const modules = await loadEvmModules()

const show = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toPrecision(3))
const misses: string[] = []
for (const one of attacks) {
  try {
    const ours = measureOurs(modules, one)
    const again = ours.cpuMs < 2_000 ? measureOurs(modules, one) : ours
    const cpuMs = Math.min(ours.cpuMs, again.cpuMs)
    const blockSeconds = ((cpuMs / ours.gas) * Number(blockGas)) / 1_000
    const geth = evm === undefined ? undefined : measureGeth(evm, one)
    const ratio = geth === undefined ? undefined : cpuMs / geth.cpuMs
    const beside = geth === undefined ? '' : `geth ${show(geth.cpuMs)} ms, ${show(ratio ?? 0)} ×`
    const line = `${one.name}: ${show(ours.gas / 1e6)} Mgas, ${show(cpuMs)} ms, a block ${show(blockSeconds)} s; ${beside}`
    console.log(line)
    if (geth !== undefined && geth.stateRoot !== ours.stateRoot) misses.push(`ANOTHER STATE: ${line}`)
    else if ((ratio ?? 0) > mostBeside[one.kind] && blockSeconds > 0.5) misses.push(line)
    else if (blockSeconds > mostSeconds) misses.push(line)
  } catch (error) {
    misses.push(`${one.name}: ${error}`)
  }
}
console.log(`\n${attacks.length} attacks, ${misses.length} over what they may cost`)
for (const miss of misses) console.log(miss)
