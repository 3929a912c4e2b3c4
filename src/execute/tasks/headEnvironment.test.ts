import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRandom } from '../../../test/support/random.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromBigInt } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { Header } from '../../chain/block/header.ts'
import { ChainError } from '../../chain/chainError.ts'
import { parseGenesis } from '../../chain/genesis/genesis.ts'
import { type AccountChange, emptyCodeHash, type StateChanges } from '../../chain/state/evmState.ts'
import { createEvm, type Evm } from '../../evm/evm.ts'
import { loadEvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { StateStore } from '../../state/stateStore.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { TaskRunner } from './taskRunner.ts'

const genesis = parseGenesis(
  JSON.stringify({
    config: {
      chainId: 1,
      ...Object.fromEntries(
        ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
          .concat('berlin', 'london')
          .map((fork) => [`${fork}Block`, 0]),
      ),
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
    },
    gasLimit: '0xffffffff',
    difficulty: '0x0',
    alloc: {},
  }),
)
const genesisHeader = genesis.header(new Uint8Array(32))

/**
 * Returns the slot that the first word names, balance and code hash of the address in the second, and the block's number and hash
 * before it. Then writes the slot, calls the address with what it has read, and destroys itself if the third word says so.
 */
const code = fromHex(
  `0x${'5f35545f52'}${'60203531602052'}${'6020353f604052'}${'436060526001430340608052'}${'60075f3555'}${'5f5f60405f5f6020355af160a052'}${'604035603c57'}${'60c05ff3'}${'5b602035ff'}`,
)
const codeHash = keccak256(code)

const addresses = [1, 2, 3, 4].map((fill) => new Uint8Array(20).fill(fill))
const small = (value: number): Uint8Array => fromBigInt(BigInt(value), 32)
const slotNumbers = [0, 1, 2, 3, 7]

/** A chain of states whose blocks are numbers and hashes only. */
class Chain {
  readonly state: StateStore
  readonly #hashes: Uint8Array[] = []
  #made = 0

  constructor(environment: LmdbEnvironment) {
    this.state = new StateStore(environment)
  }

  get height(): number {
    return this.#hashes.length - 1
  }

  async add(changes: StateChanges): Promise<void> {
    await this.state.commit(this.#hashes.length, changes)
    this.#hashes.push(small(++this.#made))
  }

  async revert(environment: LmdbEnvironment, height: number, edit: number): Promise<void> {
    await environment.transact(this.state.prepareRevert(height, edit))
    this.#hashes.length = height + 1
  }

  /** Returns the changes after which these accounts are as the head has them, without edits. */
  restoring(addresses: readonly Uint8Array[]): StateChanges {
    const reader = this.state.reader(this.height)
    const accounts = addresses.map((address): AccountChange => {
      const account = reader.account(address)
      const storage = account === undefined ? [] : slotNumbers.map(small)
      return {
        address,
        account,
        storageCleared: false,
        storage: storage.map((slot) => [slot, reader.storage(address, slot)] as const),
      }
    })
    return { accounts, code: [] }
  }

  hashAt(height: number): Uint8Array {
    return this.#hashes[height] as Uint8Array // the tests ask for heights that there are
  }

  runner(evm: Evm): TaskRunner {
    const blocks = {
      blockHashAt: (height: number) => this.#hashes[height],
      header: (height: number): Header => ({ ...genesisHeader, number: BigInt(height) }),
    } as unknown as BlockStoreReader // a runner of calls asks for nothing else
    return new TaskRunner(10n ** 7n, { config: genesis.config, state: this.state, blocks, evm })
  }
}

test('a call that was asked on the head sees its edits, though the next block is stored when it runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-head-'))
  const environment = new LmdbEnvironment({
    path: join(folder, 'state.mdb'),
    minFreeBytes: 0,
    isDurable: false,
  })
  try {
    const chain = new Chain(environment)
    const runner = chain.runner(createEvm(await loadEvmModules(), precompilesAt))
    const [reader, rich] = addresses as [Uint8Array, Uint8Array]
    const withBalance = (balance: bigint): StateChanges => ({
      accounts: [reader, rich].map((address) => ({
        address,
        account: { nonce: 1n, balance, codeHash: address === reader ? codeHash : emptyCodeHash },
        storageCleared: false,
        storage: [],
      })),
      code: [[codeHash, code]],
    })
    await chain.add(withBalance(5n))
    await environment.transact(chain.state.prepareEdit(withBalance(7n)))
    await chain.add(withBalance(9n))
    const balanceOn = (height: number, isHead: boolean): unknown => {
      const data = Uint8Array.from([...small(0), ...new Uint8Array(12), ...rich, ...small(0)])
      const block = { height, hash: chain.hashAt(height), pending: undefined, isHead }
      const task = { kind: 'call' as const, block, request: { request: { from: rich, to: reader, data } } }
      const { output } = runner.run(task, { deadline: () => Number.POSITIVE_INFINITY })
      return output[63]
    }
    expect([balanceOn(0, true), balanceOn(0, false), balanceOn(1, true)]).toEqual([7, 5, 9])
  } finally {
    await environment.close()
    rmSync(folder, { recursive: true })
  }
})

test('what a runner keeps of the head is what the store has, after any blocks, edits and reverts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-head-'))
  const environment = new LmdbEnvironment({
    path: join(folder, 'state.mdb'),
    minFreeBytes: 0,
    isDurable: false,
  })
  const modules = await loadEvmModules()
  const evm = createEvm(modules, precompilesAt)
  const random = createRandom(73)
  const { pick } = random
  const createChange = (address: Uint8Array): AccountChange => {
    const isGone = random.below(6) === 0
    return {
      address,
      account: isGone
        ? undefined
        : {
            nonce: BigInt(random.below(3)),
            balance: BigInt(random.below(2 ** 20)),
            codeHash: random.below(5) === 0 ? emptyCodeHash : codeHash,
          },
      storageCleared: isGone || random.below(6) === 0,
      storage: isGone
        ? []
        : slotNumbers
            .filter(() => random.below(3) === 0)
            .map((slot) => [small(slot), small(random.below(2) * random.below(9))] as const),
    }
  }
  const createChanges = (): StateChanges => ({
    accounts: addresses.filter(() => random.below(3) === 0).map(createChange),
    code: [[codeHash, code]],
  })

  try {
    const chain = new Chain(environment)
    await chain.add({ accounts: addresses.map(createChange), code: [[codeHash, code]] })
    const kept = chain.runner(evm)
    const budget = { deadline: () => Number.POSITIVE_INFINITY }
    const call = (): void => {
      const { height } = chain
      const block = { height, hash: chain.hashAt(height), pending: undefined }
      const data = Uint8Array.from([
        ...[...small(pick(slotNumbers)), ...new Uint8Array(12), ...pick(addresses)],
        ...small(random.below(4) === 0 ? 1 : 0),
      ])
      const request = { from: pick(addresses), to: pick(addresses), data, value: BigInt(random.below(2)) }
      const kind = random.below(3) === 0 ? ('estimate' as const) : ('call' as const)
      const outcomeOf = (runner: TaskRunner, blockOverrides: object | undefined): unknown => {
        try {
          return runner.run({ kind, block, request: { request, blockOverrides } }, budget)
        } catch (error) {
          if (!(error instanceof ChainError)) throw error
          return error.message
        }
      }
      // A call with overrides, even of nothing, reads everything from the store.
      expect(outcomeOf(kept, undefined)).toEqual(outcomeOf(kept, {}))
    }
    const extend = async (count: number): Promise<void> => {
      for (let left = count; left > 0; left--) await chain.add(createChanges())
    }
    const edit = () => environment.transact(chain.state.prepareEdit(createChanges()))
    const acts: readonly (() => Promise<void>)[] = [
      () => extend(1),
      () => extend(1 + random.below(3)),
      edit,
      // A block that makes everything what it was before an edit.
      async () => {
        const before = chain.restoring(addresses)
        await edit()
        for (let left = random.below(8); left > 0; left--) call()
        await chain.add(before)
      },
      async () => {
        const height = Math.max(0, chain.height - random.below(4))
        await chain.revert(environment, height, random.below(2) === 0 ? chain.state.newestEdit(height) : 0)
      },
      // Others in place of the blocks that are gone, and one more.
      async () => {
        const { height } = chain
        await chain.revert(environment, Math.max(0, height - 1 - random.below(2)), 0)
        await extend(height + 1 - chain.height)
      },
    ]
    for (let step = 0; step < 200; step++) {
      await pick(acts)()
      for (let left = random.below(8); left > 0; left--) call()
    }
    expect(chain.height).toBeGreaterThan(50)
  } finally {
    await environment.close()
    rmSync(folder, { recursive: true })
  }
})
