import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Application } from '../../src/app/application.ts'
import { toBlockInputs } from '../../src/app/blockInputs.ts'
import { executeNextBlock } from '../../src/app/nextBlock.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { createDevGenesis } from '../../src/chain/genesis/devGenesis.ts'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { createTransfers } from '../support/chain/chainFiles.ts'
import { chainId } from '../support/peers/program.ts'

export interface LongChainOptions {
  /** The home of the node, which is not there yet. */
  readonly home: string
  readonly blocks: number
  /** The length of the short range, at the end of the chain. */
  readonly shortRange: number
}

/** Recipients that have `rareCalls` transfers each. */
export const rareCalls = 8
/** All of them in the short range. */
const recent = new Uint8Array(20).fill(0x77)
/** Some of them in each part of the chain. */
const spread = new Uint8Array(20).fill(0x78)
/** One block in so many has a transfer between others. */
export const busyEvery = 10

const beneficiary = new Uint8Array(20).fill(9)
const perCommit = 2_000

/** Writes a chain straight into the home of a node: every block is executed and has its state, no engine made it. */
export const makeLongChain = async ({ home, blocks: count, shortRange }: LongChainOptions): Promise<void> => {
  const data = join(home, 'data')
  mkdirSync(data, { recursive: true })
  const environment = new LmdbEnvironment({ path: join(data, 'chain.mdb') })
  const state = new StateStore(environment)
  const blocks = new BlockStore(environment)
  const evm = createEvm(await loadEvmModules(), precompilesAt)
  const transfers = createTransfers()
  const genesis = createDevGenesis({
    ...{ chainId: BigInt(chainId), coinbase: beneficiary, timestamp: 1_700_000_000n },
    accounts: transfers.addresses.map((address) => ({ address, balance: 10n ** 24n })),
    // Without the calls that later rules make in every block: they are not part of what is measured.
    fork: 'paris',
  })
  const dependencies = { environment, state, blocks, evm }
  let head = await new Application(genesis.config, dependencies).initChain(genesis)
  const isRare = (distance: number, range: number): boolean => {
    const step = Math.floor(range / rareCalls)
    return distance % step === 3 && distance < step * rareCalls
  }
  const recipientAt = (number: number): Uint8Array | undefined => {
    if (isRare(count - number, shortRange)) return recent
    return isRare(number, count) ? spread : undefined
  }
  for (let first = 1; first <= count; first += perCommit)
    await environment.transact(() => {
      for (let number = first; number < Math.min(first + perCommit, count + 1); number++) {
        const rare = recipientAt(number)
        const candidates = rare !== undefined || number % busyEvery === 0 ? [transfers.next(rare)] : []
        const { header, hash } = head
        const attributes = { time: Number(header.timestamp) + 1, beneficiary, engineHash: hash }
        const inputs = toBlockInputs(header, hash, { ...attributes, gasLimit: header.gasLimit })
        const next = executeNextBlock(dependencies, genesis.config, inputs, candidates)
        if (next.outcome.rejected.length > 0)
          throw new Error(`block ${number}: ${next.outcome.rejected[0]?.reason}`)
        next.state.write()
        blocks.write(encodeBlockRows(next.block))
        head = { header: next.block.header, hash: next.block.hash }
      }
    })
  await environment.close()
}

export const recentAddress = toHex(recent)
export const spreadAddress = toHex(spread)
