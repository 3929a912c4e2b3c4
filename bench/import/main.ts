import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Application } from '../../src/app/application.ts'
import { inputsOf } from '../../src/app/blockInputs.ts'
import { exportChain } from '../../src/app/export/chain.ts'
import { LmdbEnvironment } from '../../src/base/lmdb.ts'
import { createDevGenesis } from '../../src/chain/genesis/devGenesis.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import { signTransaction } from '../../src/chain/transaction/signature.ts'
import { createMachine } from '../../src/evm/machine.ts'
import { loadModules } from '../../src/evm/modules.ts'
import { precompilesAt } from '../../src/evm/precompiles/table.ts'
import { StateStore } from '../../src/state/store.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { run } from '../../test/support/program.ts'
import { keccak256, privateKeyToAddress } from '../../src/base/crypto.ts'

/**
 * `npm run bench -- import [blocks] [transactions] [folder]`: `perihelion import` of a chain of transfers that is made
 * for it, so many in a block. The chain is kept where a folder is named.
 */
const [blockCount = '1000', perBlock = '50', kept] = process.argv.slice(2)
const chainId = 31_337n
const senders = Array.from({ length: 200 }, (_, index) => {
  const key = keccak256(Uint8Array.of(index))
  return { key, address: privateKeyToAddress(key), nonce: 0n }
})
const beneficiary = new Uint8Array(20).fill(9)
const data = mkdtempSync(join(tmpdir(), 'perihelion-bench-'))
const folder = kept ?? join(data, 'files')
mkdirSync(folder, { recursive: true })
const environment = new LmdbEnvironment({ path: join(data, 'chain.mdb') })
const state = new StateStore(environment)
const blocks = new BlockStore(environment)
const machine = createMachine(await loadModules(), precompilesAt)
const accounts = senders.map(({ address }) => ({ address, balance: 10n ** 24n }))
const genesis = createDevGenesis({ chainId, accounts, coinbase: beneficiary, timestamp: 1_700_000_000n })
const app = new Application(genesis.config, { environment, state, blocks, machine })
let head = await app.initChain(genesis)

let count = 0
const nextTransfer = () => {
  const sender = senders[count % senders.length] as (typeof senders)[number]
  const to = keccak256(Uint8Array.of(count & 255, (count >> 8) & 255)).subarray(0, 20)
  count++
  const transaction = signTransaction(
    {
      type: 2,
      chainId,
      nonce: sender.nonce++,
      gasLimit: 21_000n,
      to,
      value: 1n,
      data: new Uint8Array(0),
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1n,
      accessList: [],
    },
    sender.key,
  )
  const raw = encodeTransaction(transaction)
  return { transaction, raw, hash: keccak256(raw), sender: sender.address }
}

for (let number = 1; number <= Number(blockCount); number++) {
  const candidates = Array.from({ length: Number(perBlock) }, nextTransfer)
  const decision = {
    time: Number(head.header.timestamp) + 12,
    beneficiary,
    engineHash: new Uint8Array(32),
    gasLimit: head.header.gasLimit,
  }
  app.finalizeBlock(inputsOf(head.header, head.hash, decision), candidates)
  head = await app.commit()
}
await exportChain(blocks, state, folder)
await environment.close()

const gas = Number(blockCount) * Number(perBlock) * 21_000
const start = performance.now()
const files = ['--genesis', join(folder, 'genesis.json'), join(folder, 'chain.rlp')]
const program = run(['import', ...files, '--home', join(data, 'home')])
if ((await program.ended()) !== 0) throw new Error(program.stderr())
const seconds = (performance.now() - start) / 1000
console.log(
  `${blockCount} blocks of ${perBlock} transfers in ${seconds.toFixed(2)} s: ` +
    `${(Number(blockCount) / seconds).toFixed(0)} blocks/s, ${(gas / seconds / 1e6).toFixed(1)} Mgas/s`,
)
rmSync(data, { recursive: true })
