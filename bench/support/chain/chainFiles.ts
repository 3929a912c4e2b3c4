import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Application } from '../../../src/app/application.ts'
import { toBlockInputs } from '../../../src/app/blockInputs.ts'
import { exportChain } from '../../../src/app/export/chain.ts'
import { keccak256, privateKeyToAddress } from '../../../src/base/crypto/crypto.ts'
import { LmdbEnvironment } from '../../../src/base/lmdb/lmdb.ts'
import { createDevGenesis } from '../../../src/chain/genesis/devGenesis.ts'
import { encodeTransaction } from '../../../src/chain/transaction/encode.ts'
import { signTransaction } from '../../../src/chain/transaction/signature.ts'
import { createEvm } from '../../../src/evm/evm.ts'
import { loadEvmModules } from '../../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../../src/evm/precompiles/precompileTable.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { BlockStore } from '../../../src/store/blockStore.ts'
import { chainId } from '../peers/program.ts'

export interface ChainFilesOptions {
  readonly blocks: number
  /** Transfers in each block. */
  readonly perBlock: number
  /** An empty folder. */
  readonly folder: string
}

const beneficiary = new Uint8Array(20).fill(9)

/** Makes signed transfers of 200 accounts in turn, to many others or to one that is given. */
export const createTransfers = () => {
  const senders = Array.from({ length: 200 }, (_, index) => {
    const key = keccak256(Uint8Array.of(index))
    return { key, address: privateKeyToAddress(key), nonce: 0n }
  })
  let count = 0
  const next = (recipient?: Uint8Array) => {
    const sender = senders[count % senders.length] as (typeof senders)[number]
    const to = recipient ?? keccak256(Uint8Array.of(count & 255, (count >> 8) & 255)).subarray(0, 20)
    count++
    const transaction = signTransaction(
      {
        ...{ type: 2, chainId: BigInt(chainId), nonce: sender.nonce++, gasLimit: 21_000n, to, value: 1n },
        ...{ data: new Uint8Array(0), maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1n },
        accessList: [],
      },
      sender.key,
    )
    const raw = encodeTransaction(transaction)
    return { transaction, raw, hash: keccak256(raw), sender: sender.address }
  }
  return { addresses: senders.map(({ address }) => address), next }
}

/** Makes a chain of transfers and writes it as `perihelion export` does. */
export const makeChainFiles = async (options: ChainFilesOptions) => {
  const { blocks: blockCount, perBlock, folder } = options
  const [data, files] = [join(folder, 'making'), join(folder, 'files')]
  for (const path of [data, files]) mkdirSync(path, { recursive: true })
  const environment = new LmdbEnvironment({ path: join(data, 'chain.mdb') })
  const state = new StateStore(environment)
  const blocks = new BlockStore(environment)
  const evm = createEvm(await loadEvmModules(), precompilesAt)
  const { addresses, next } = createTransfers()
  const accounts = addresses.map((address) => ({ address, balance: 10n ** 24n }))
  const genesis = createDevGenesis({
    chainId: BigInt(chainId),
    accounts,
    coinbase: beneficiary,
    timestamp: 1_700_000_000n,
  })
  const app = new Application(genesis.config, { environment, state, blocks, evm })
  let head = await app.initChain(genesis)
  for (let number = 1; number <= blockCount; number++) {
    const decision = {
      time: Number(head.header.timestamp) + 12,
      beneficiary,
      engineHash: new Uint8Array(32),
      gasLimit: head.header.gasLimit,
    }
    const candidates = Array.from({ length: perBlock }, () => next())
    app.executeBlock(toBlockInputs(head.header, head.hash, decision), candidates)
    head = await app.commit()
  }
  await exportChain(blocks, state, files)
  await environment.close()
  rmSync(data, { recursive: true })
  return { genesis: join(files, 'genesis.json'), chain: join(files, 'chain.rlp') }
}
