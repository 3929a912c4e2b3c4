import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address } from '@ethereumjs/util'
import { keccak256 } from '../../src/base/crypto.ts'
import { fromBigInt } from '../../src/base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../src/base/encoding/hex.ts'
import type { EvmStateReader } from '../../src/chain/state/evmState.ts'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/modules.ts'
import { precompilesAt } from '../../src/evm/precompiles/table.ts'
import { findProgram } from '../../test/support/programs/findProgram.ts'
import { caller, type Program } from './programs.ts'

/** Runs a program once; the gas it took and the milliseconds of the execution alone. */
export type Run = (program: Program) => Promise<{ readonly gas: bigint; readonly ms: number }>

export interface Peer {
  readonly name: string
  /** How much of a program's loop it is given, so that slow peers end in time. */
  readonly scale: number
  readonly run: Run
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

export const createPerihelion = async (): Promise<Peer> => {
  const machine = createEvm(await loadEvmModules(), precompilesAt)
  const message = {
    from: caller,
    to: contract,
    value: 0n,
    gasPrice: 0n,
    accessList: [],
    blobVersionedHashes: [],
  }
  return {
    name: 'perihelion',
    scale: 1,
    run: async (program) => {
      const evmState = createState(program)
      const start = performance.now()
      const execution = machine.createExecution({ fork: 'prague', chainId: 1n, evmState, block })
      const { input: data, gas: gasLimit } = program
      const result = execution.call({ ...message, data, gasLimit, authorizationList: [] })
      const ms = performance.now() - start
      if (!result.valid || !result.success) throw new Error(`${program.name} failed`)
      return { gas: result.gasUsed, ms }
    },
  }
}

export const createEthereumJs = async (): Promise<Peer> => ({
  name: '@ethereumjs/evm',
  scale: 0.05,
  run: async (program) => {
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
    return { gas: execResult.executionGasUsed, ms }
  },
})

/** geth's `evm`: named by GETH_EVM or found on PATH. */
export const findGeth = (): string | undefined => findProgram('evm', 'GETH_EVM')

const units: Readonly<Record<string, number>> = { ns: 1e-6, µs: 1e-3, ms: 1, s: 1000, m: 60_000 }

/** Go's notation of a duration, such as 1m2.5s. */
const durationMs = (text: string): number =>
  [...text.matchAll(/([0-9.]+)(ns|µs|ms|m|s)/g)].reduce(
    (sum, [, value, unit]) => sum + Number(value) * (units[unit as string] ?? 0),
    0,
  )

export const createGeth = (path: string): Peer => ({
  name: 'geth',
  scale: 1,
  run: async (program) => {
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
      const args = [
        'run',
        '--bench',
        '--prestate',
        join(folder, 'genesis.json'),
        '--gas',
        String(program.gas),
      ]
      const from = ['--sender', toHex(caller), '--receiver', toHex(contract), '--input', toHex(program.input)]
      const { stdout, stderr, error } = spawnSync(path, [...args, ...from], { encoding: 'utf8' })
      if (error) throw error
      const report = stdout + stderr
      const gas = /EVM gas used:\s+(\d+)/.exec(report)?.[1]
      const time = /execution time:\s+(\S+)/.exec(report)?.[1]
      if (gas === undefined || time === undefined || report.includes(' error:'))
        throw new Error(report.slice(0, 500))
      return { gas: BigInt(gas), ms: durationMs(time) }
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
})
