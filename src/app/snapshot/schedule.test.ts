import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Abi, encodeFunctionData } from 'viem'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createForkGenesis } from '../../../test/support/forkGenesis.ts'
import {
  addressOf,
  createCandidate,
  signCandidate,
  testChainId,
} from '../../../test/support/signedCandidates.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { scheduleContractAddress } from '../../chain/validators/schedule.ts'
import { toValidatorConfigJson } from '../../chain/validators/validatorConfig.ts'
import { createEvm } from '../../evm/evm.ts'
import { loadEvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { Application } from '../application.ts'
import { toBlockInputs } from '../blockInputs.ts'
import { createSnapshot } from './create.ts'
import { loadChunk, loadSnapshots } from './folder.ts'
import { encodeMetadata } from './metadata.ts'
import { evaluateOffer } from './restore.ts'

const { abi } = JSON.parse(
  readFileSync(new URL('../../../docs/forkSchedule.json', import.meta.url), 'utf8'),
) as { readonly abi: Abi }
const modules = await loadEvmModules()
const genesis = createForkGenesis(
  {
    chainId: testChainId,
    accounts: [0, 1].map((sender) => ({ address: addressOf(sender), balance: 10n ** 20n })),
    coinbase: new Uint8Array(20),
    timestamp: 100n,
    validators: toValidatorConfigJson({
      validators: [{ publicKey: new Uint8Array(32).fill(9), power: 1n, reward: addressOf(9) }],
      admin: addressOf(0),
    }),
  },
  'shanghai',
  {},
)

let folder: string
const opened: LmdbEnvironment[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-snapshot-'))
})
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.close()
  rmSync(folder, { recursive: true })
})

const open = async (name: string) => {
  const environment = new LmdbEnvironment({ path: join(folder, name), minFreeBytes: 0 })
  opened.push(environment)
  const state = new StateStore(environment)
  const blocks = new BlockStore(environment)
  const evm = createEvm(modules, precompilesAt)
  const app = new Application(genesis.config, { environment, state, blocks, evm })
  await app.initChain(genesis)
  return { environment, state, blocks, app }
}

const add = async (app: Application, time: number, candidate: RecoveredTransaction): Promise<void> => {
  const { head } = app
  if (head === undefined) throw new Error('there is no genesis block')
  const { gasLimit } = head.header
  const attributes = { time, gasLimit, beneficiary: addressOf(9), engineHash: new Uint8Array(32) }
  app.executeBlock(toBlockInputs(head.header, head.hash, attributes), [candidate])
  await app.commit()
}

it('a restored head has the receipts of a fork that the chain scheduled after its genesis', async () => {
  const source = await open('source.mdb')
  const schedule = encodeFunctionData({ abi, functionName: 'schedule', args: ['cancun', 200n, ''] })
  await add(
    source.app,
    105,
    createCandidate(0, 0n, {
      to: scheduleContractAddress,
      value: 0n,
      gasLimit: 300_000n,
      data: fromHex(schedule),
    }),
  )
  const blobHash = new Uint8Array(32).fill(1)
  await add(
    source.app,
    200,
    signCandidate(1, {
      type: 3,
      chainId: testChainId,
      nonce: 0n,
      maxPriorityFeePerGas: 1n,
      maxFeePerGas: 10n ** 10n,
      gasLimit: 21_000n,
      to: addressOf(2),
      value: 0n,
      data: new Uint8Array(0),
      accessList: [],
      maxFeePerBlobGas: 10n,
      blobVersionedHashes: [blobHash],
    }),
  )
  const receipts = Buffer.from(source.blocks.receiptsJson(2) ?? []).toString()
  expect(receipts).toContain('"blobGasPrice":"0x1"')
  const made = join(folder, 'made')
  await createSnapshot(source.environment, genesis.config, { folder: made, height: 2, chunkBytes: 10_000 })
  const [snapshot] = loadSnapshots(made)
  if (snapshot === undefined) throw new Error('no snapshot was made')
  const metadata = encodeMetadata(snapshot.metadata)
  const target = await open('target.mdb')
  const considered = evaluateOffer(target, target.app.config, {
    height: 2,
    format: 1,
    chunks: snapshot.metadata.chunks.length,
    hash: keccak256(metadata),
    metadata,
    appHash: source.blocks.blockHashAt(2) as Uint8Array, // it was committed
  })
  if ('rejection' in considered) throw new Error(considered.reason)
  let isDone = false
  for (const index of snapshot.ends.keys())
    isDone = await considered.restore.add((await loadChunk(made, snapshot, index)) as Uint8Array) // it was made
  expect(isDone).toBe(true)
  expect(Buffer.from(target.blocks.receiptsJson(2) ?? []).toString()).toBe(receipts)
})
