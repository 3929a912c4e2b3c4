import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Application } from '../../src/app/application.ts'
import type { BlockInputs } from '../../src/app/blockInputs.ts'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { decodeBlock } from '../../src/chain/block/block.ts'
import { createDevGenesis, type DevGenesisOptions } from '../../src/chain/genesis/devGenesis.ts'
import { transactionHash } from '../../src/chain/transaction/encode.ts'
import { recoverSender } from '../../src/chain/transaction/signature.ts'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import type { Rpc } from '../support/verifier/rpc.ts'

/** Executes again, in a store of its own, every block that a node serves, and holds the node to the result. */
export class Replica {
  readonly #folder = mkdtempSync(join(tmpdir(), 'perihelion-replica-'))
  readonly #environment = new LmdbEnvironment({ path: join(this.#folder, 'chain.mdb') })
  #app: Application | undefined

  /** `options` without what the first block of the node tells. */
  async begin(rpc: Rpc, options: Omit<DevGenesisOptions, 'timestamp'>): Promise<void> {
    const first = await rpc<{ timestamp: string; hash: string }>('eth_getBlockByNumber', '0x0', false)
    const genesis = createDevGenesis({ ...options, timestamp: BigInt(first.timestamp) })
    this.#app = new Application(genesis.config, {
      environment: this.#environment,
      state: new StateStore(this.#environment),
      blocks: new BlockStore(this.#environment),
      evm: createEvm(await loadEvmModules(), precompilesAt),
    })
    const head = await this.#app.initChain(genesis)
    assert.equal(toHex(head.hash), first.hash, 'the first block')
  }

  /** Follows the node to its head; throws at the first block that comes out differently. */
  async follow(rpc: Rpc): Promise<number> {
    const app = this.#app as Application // begin comes first
    const head = Number(await rpc<string>('eth_blockNumber'))
    for (let number = Number(app.head?.header.number) + 1; number <= head; number++) {
      const tag = `0x${number.toString(16)}`
      const { header, transactions, ommers, withdrawals } = decodeBlock(
        fromHex(await rpc<string>('debug_getRawBlock', tag)),
      )
      const parent = app.head as NonNullable<typeof app.head>
      const inputs: BlockInputs = {
        parent: parent.header,
        parentHash: parent.hash,
        timestamp: header.timestamp,
        beneficiary: header.beneficiary,
        gasLimit: header.gasLimit,
        difficulty: header.difficulty,
        mixHash: header.mixHash,
        nonce: header.nonce,
        extraData: header.extraData,
        parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? new Uint8Array(32),
        ommers,
        withdrawals: withdrawals ?? [],
      }
      const candidates = transactions.map(({ transaction, raw }) => ({
        transaction,
        raw,
        hash: transactionHash(transaction),
        sender: recoverSender(transaction, 'osaka') as Uint8Array, // it is in a block
      }))
      const made = app.executeBlock(inputs, candidates)
      const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', tag, false)
      assert.equal(toHex(made.hash), hash, `block ${number}, executed again`)
      await app.commit()
    }
    return head
  }

  async close(): Promise<void> {
    await this.#environment.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
