import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address } from '@ethereumjs/util'
import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { fromBigInt } from '../../src/base/encoding/bytes.ts'
import { parseGoDuration } from '../../src/base/encoding/goDuration.ts'
import { toHex, toQuantity } from '../../src/base/encoding/hex.ts'
import type { EvmStateReader } from '../../src/chain/state/evmState.ts'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { findProgram } from '../../test/support/programs/findProgram.ts'
import type { GasTime, OpenCase, WorstCase } from './case.ts'
import { caller, type Program } from './programs.ts'

/** A machine that runs programs. */
interface Machine {
  readonly name: string
  /** How much of a program's loop it is given, so that slow ones end in time. */
  readonly scale: number
  open(program: Program): Promise<OpenCase>
}

export const contract = fromBigInt(0xdecafn, 20)
const emptyHash = keccak256(new Uint8Array(0))
const key = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export const createState = ({ code, storage }: Program): EvmStateReader => {
  const codeHash = keccak256(code)
  const slots = new Map(storage.map(([slot, value]) => [key(slot), value]))
  const zero = new Uint8Array(32)
  return {
    account: (address) => {
      if (key(address) === key(contract)) return { nonce: 1n, balance: 0n, codeHash }
      if (key(address) === key(caller)) return { nonce: 0n, balance: 10n ** 18n, codeHash: emptyHash }
      return undefined
    },
    storage: (_address, slot) => slots.get(key(slot)) ?? zero,
    code: () => code,
    hasStorage: () => slots.size > 0,
  }
}

export const block = {
  number: 1n,
  timestamp: 1n,
  coinbase: fromBigInt(0n, 20),
  gasLimit: 2n ** 60n,
  difficulty: 0n,
  prevRandao: new Uint8Array(32),
  baseFee: 0n,
  excessBlobGas: 0n,
  blobParameters: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n },
  blockHash: () => new Uint8Array(32),
}

let modules: ReturnType<typeof loadEvmModules> | undefined

export const createOwnEvm = async () => {
  modules ??= loadEvmModules()
  return createEvm(await modules, precompilesAt)
}

const perihelion: Machine = {
  name: 'perihelion',
  scale: 1,
  open: async (program) => {
    const machine = await createOwnEvm()
    const evmState = createState(program)
    const fees = { value: 0n, gasPrice: 0n, accessList: [], blobVersionedHashes: [], authorizationList: [] }
    const call = { from: caller, to: contract, data: program.input, gasLimit: program.gas, ...fees }
    return {
      run: () => {
        const start = performance.now()
        const result = machine.createExecution({ fork: 'prague', chainId: 1n, evmState, block }).call(call)
        const ms = performance.now() - start
        if (!result.valid || !result.success) throw new Error(`${program.name} failed`)
        return { gas: Number(result.gasUsed), ms }
      },
    }
  },
}

const ethereumJs: Machine = {
  name: '@ethereumjs/evm',
  scale: 0.05,
  open: async (program) => ({
    run: async () => {
      const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })
      const stateManager = new SimpleStateManager({ common })
      const evm = await createEVM({ common, stateManager })
      const to = new Address(contract)
      await stateManager.putAccount(to, new Account(1n, 0n))
      await stateManager.putAccount(new Address(caller), new Account(0n, 10n ** 18n))
      await stateManager.putCode(to, program.code)
      for (const [slot, value] of program.storage) await stateManager.putStorage(to, slot, value)
      const start = performance.now()
      const { execResult } = await evm.runCall({
        caller: new Address(caller),
        to,
        data: program.input,
        gasLimit: program.gas,
      })
      const ms = performance.now() - start
      if (execResult.exceptionError !== undefined)
        throw new Error(`${program.name}: ${execResult.exceptionError.error}`)
      return { gas: Number(execResult.executionGasUsed), ms }
    },
  }),
}

/** geth's `evm`: named by GETH_EVM, in the folder of the peers, or on the path. */
export const findGethEvm = (): string | undefined => {
  const inFolder = process.env.BENCH_PEERS && join(process.env.BENCH_PEERS, 'bin', 'evm')
  return inFolder && existsSync(inFolder) ? inFolder : findProgram('evm', 'GETH_EVM')
}

/** Runs a program once in geth's `evm`, which repeats it by itself. */
const runInGeth = (path: string, program: Program): GasTime => {
  const folder = mkdtempSync(join(tmpdir(), 'evm-bench-'))
  try {
    const storage = Object.fromEntries(program.storage.map(([slot, value]) => [toHex(slot), toHex(value)]))
    const alloc = {
      [toHex(contract)]: { balance: '0x0', nonce: '0x1', code: toHex(program.code), storage },
      [toHex(caller)]: { balance: toQuantity(10n ** 18n) },
    }
    const forks = Object.fromEntries(
      ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
        .concat('berlin', 'london')
        .map((fork) => [`${fork}Block`, 0]),
    )
    const times = { shanghaiTime: 0, cancunTime: 0, pragueTime: 0, terminalTotalDifficulty: 0 }
    const blob = { target: 6, max: 9, baseFeeUpdateFraction: 5007716 }
    const config = { chainId: 1, ...forks, ...times, blobSchedule: { cancun: blob, prague: blob } }
    const genesis = { config, gasLimit: '0x1000000000000', difficulty: '0x0', alloc }
    writeFileSync(join(folder, 'genesis.json'), JSON.stringify(genesis))
    const args = ['run', '--bench', '--prestate', join(folder, 'genesis.json'), '--gas', String(program.gas)]
    const from = ['--sender', toHex(caller), '--receiver', toHex(contract), '--input', toHex(program.input)]
    const { stdout, stderr, error } = spawnSync(path, [...args, ...from], { encoding: 'utf8' })
    if (error) throw error
    const report = stdout + stderr
    const gas = /EVM gas used:\s+(\d+)/.exec(report)?.[1]
    const time = /execution time:\s+(\S+)/.exec(report)?.[1]
    if (gas === undefined || time === undefined || report.includes(' error:'))
      throw new Error(report.slice(0, 500))
    return { gas: Number(gas), ms: parseGoDuration(time) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const createGeth = (path: string): Machine => ({
  name: 'geth',
  scale: 1,
  open: async (program) => ({ run: () => runInGeth(path, program) }),
})

const machines = (): Machine[] => {
  const geth = findGethEvm()
  return [perihelion, ...(geth === undefined ? [] : [createGeth(geth)]), ethereumJs]
}

/** Makes a case of a program, which is given how much of its loop it is to run, on every machine that is here. */
export const programCase = (name: string, create: (scale: number) => Program): WorstCase => ({
  name,
  sides: Object.fromEntries(
    machines().map((machine) => [machine.name, () => machine.open(create(machine.scale))]),
  ),
})
