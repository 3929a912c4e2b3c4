import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Abi, encodeFunctionData } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proposeEntries } from '../../test/support/proposals.ts'
import { addressOf, createCandidate, testChainId } from '../../test/support/signedCandidates.ts'
import { Application } from '../app/application.ts'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { createDevGenesis } from '../chain/genesis/devGenesis.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import { validatorContractAddress } from '../chain/validators/contract.ts'
import { toValidatorConfigJson, type Validator } from '../chain/validators/validatorConfig.ts'
import { createEvm } from '../evm/evm.ts'
import { loadEvmModules } from '../evm/host/evmModules.ts'
import { precompilesAt } from '../evm/precompiles/precompileTable.ts'
import { StateStore } from '../state/stateStore.ts'
import { BlockStore } from '../store/blockStore.ts'
import { ValidatorSetReader } from './validatorSetReader.ts'

const { abi } = JSON.parse(
  readFileSync(new URL('../../docs/validatorSet.json', import.meta.url), 'utf8'),
) as { readonly abi: Abi }

const validator = (fill: number, power = 10n): Validator => ({
  publicKey: new Uint8Array(32).fill(fill),
  power,
  reward: new Uint8Array(20).fill(fill + 0x80),
})
const key = (fill: number): string => toHex(validator(fill).publicKey)

const genesis = createDevGenesis({
  chainId: testChainId,
  accounts: [{ address: addressOf(0), balance: 10n ** 20n }],
  coinbase: new Uint8Array(20),
  timestamp: 100n,
  validators: toValidatorConfigJson({ validators: [validator(1), validator(2)], admin: addressOf(0) }),
})
const modules = await loadEvmModules()

let folder: string
let environment: LmdbEnvironment
let state: StateStore
let app: Application
let sets: ValidatorSetReader

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-sets-'))
  environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb') })
  state = new StateStore(environment, { pruning: 'everything' })
  app = new Application(genesis.config, {
    environment,
    state,
    blocks: new BlockStore(environment),
    evm: createEvm(modules, precompilesAt),
  })
  await app.initChain(genesis)
  sets = new ValidatorSetReader(state)
})

afterEach(async () => {
  await environment.close()
  rmSync(folder, { recursive: true })
})

const change = (nonce: bigint, functionName: string, ...args: readonly unknown[]): RecoveredTransaction =>
  createCandidate(0, nonce, {
    to: validatorContractAddress,
    value: 0n,
    gasLimit: 300_000n,
    data: fromHex(encodeFunctionData({ abi, functionName, args })),
  })

/** Decides and commits the next block; what the engine gets of validators. */
const decide = async (candidates: readonly RecoveredTransaction[] = []) => {
  const height = Number(app.head?.header.number ?? 0n) + 1
  const time = 100n + BigInt(height)
  const entries = proposeEntries(app, candidates, { time, reward: addressOf(9) })
  const engineHash = new Uint8Array(32)
  const { validatorChanges } = app.finalizeDecided({
    height,
    time,
    engineHash,
    entries,
  })
  await app.commit()
  return validatorChanges
}

const powersAt = (set: readonly Validator[]): string =>
  set.map(({ publicKey, power }) => `${publicKey[0]}:${power}`).join(' ')

describe('validators that a block changes', () => {
  it('are told to the engine once for all its transactions, and decide two blocks later', async () => {
    expect(await decide()).toEqual([])
    const reward = toHex(validator(3).reward)
    const changes = await decide([
      change(0n, 'add', key(4), 4n, reward),
      change(1n, 'add', key(3), 7n, reward),
      change(2n, 'setPower', key(3), 8n),
      change(3n, 'remove', key(4)),
      change(4n, 'remove', key(1)),
    ])
    expect(changes).toEqual([
      { publicKey: validator(1).publicKey, power: 0n },
      { publicKey: validator(3).publicKey, power: 8n },
    ])
    expect(await decide()).toEqual([])
    expect(powersAt(sets.forBlock(3))).toBe('1:10 2:10')
    expect(powersAt(sets.forBlock(4))).toBe('3:8 2:10')
    expect(powersAt(sets.afterBlock(2))).toBe('3:8 2:10')
    expect(powersAt(sets.forBlock(0))).toBe('1:10 2:10')
  })

  it('are known for as long as the state is kept', async () => {
    for (let height = 0; height < 30; height++) await decide()
    const oldest = state.oldest ?? 0
    expect(oldest).toBeGreaterThan(0)
    expect(() => sets.forBlock(oldest + 1)).toThrow('is not kept')
    expect(sets.findForBlock(oldest + 1)).toBeUndefined()
    expect(sets.findForBlock(1)).toBeUndefined()
    expect(sets.findForBlock(oldest + 2)).toHaveLength(2)
    expect(sets.forBlock(32)).toHaveLength(2)
  })
})
