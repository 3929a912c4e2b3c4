import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { createEvm } from '../../../src/evm/evm.ts'
import type { EvmModules } from '../../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../../src/evm/precompiles/precompileTable.ts'
import { parseForkName } from '../../../src/evm/stateTest/forkNames.ts'
import {
  createInMemoryState,
  toTestBlockContext,
  toTransaction,
} from '../../../src/evm/stateTest/testSetup.ts'
import { toTransactionFields } from '../../../src/evm/transaction/fields.ts'
import { type Attack, idle } from './attack.ts'

export interface Measured {
  readonly gas: number
  /** Processor time, which what else the machine does hardly changes. */
  readonly cpuMs: number
  readonly stateRoot: string
}

/** Runs an attack on a new EVM: the transaction and what it changes, without the state's trie. */
export const measureOurs = (modules: EvmModules, { fork: forkName, test }: Attack): Measured => {
  const fork = parseForkName(forkName)
  const [expectation] = test.post[forkName] ?? []
  if (fork === undefined || expectation === undefined) throw new Error(`${forkName} is not a fork`)
  const evm = createEvm(modules, precompilesAt)
  const state = createInMemoryState(test.pre)
  const { transaction, sender } = toTransaction(test.transaction, expectation, fork)
  const block = toTestBlockContext(test, forkName, fork)
  const fields = toTransactionFields(transaction)
  const before = process.cpuUsage()
  const execution = evm.createExecution({ fork, chainId: 1n, evmState: state, block })
  const result = execution.transact(fields, sender)
  const changes = execution.drainChanges()
  const { user, system } = process.cpuUsage(before)
  if (!result.valid) throw new Error(result.reason)
  state.apply(changes)
  return { gas: Number(result.gasUsed), cpuMs: (user + system) / 1_000, stateRoot: toHex(state.stateRoot()) }
}

/** Runs `evm statetest` once; its processor time, and the root that it has. */
const runGeth = (evm: string, file: string): { readonly cpuMs: number; readonly stateRoot: string } => {
  const script = 'TIMEFORMAT="cpu %U %S"; time "$0" statetest "$1" 2>/dev/null'
  const { stdout, stderr, error } = spawnSync('bash', ['-c', script, evm, file], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (error) throw error
  const [, user, system] = /cpu ([0-9.]+) ([0-9.]+)/.exec(stderr) ?? []
  const [verdict] = JSON.parse(stdout) as { readonly stateRoot?: string }[]
  return { cpuMs: (Number(user) + Number(system)) * 1_000, stateRoot: verdict?.stateRoot ?? '0x' }
}

/** The same in geth, less what it takes to start and to make the state. */
export const measureGeth = (evm: string, attack: Attack): Omit<Measured, 'gas'> => {
  const folder = mkdtempSync(join(tmpdir(), 'attack-'))
  const file = join(folder, 'attack.json')
  try {
    const run = ({ test }: Attack) => {
      writeFileSync(file, JSON.stringify({ attack: test }))
      return runGeth(evm, file)
    }
    const least = (one: Attack) => Math.min(...Array.from({ length: 3 }, () => run(one).cpuMs))
    const idling = least(idle(attack))
    return { cpuMs: Math.max(1, least(attack) - idling), stateRoot: run(attack).stateRoot }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
