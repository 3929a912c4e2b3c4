import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Application } from '../../src/app/application.ts'
import { ChainImporter, toImportedBlock } from '../../src/app/import/block.ts'
import { InvalidBlockError } from '../../src/app/import/invalidBlock.ts'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { RlpError } from '../../src/base/encoding/rlp.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { decodeBlock } from '../../src/chain/block/block.ts'
import { type ChainConfig, forkOfHeader } from '../../src/chain/config/chainConfig.ts'
import { parseGenesis } from '../../src/chain/genesis/genesis.ts'
import { recoverSender } from '../../src/chain/transaction/signature.ts'
import { TransactionError } from '../../src/chain/transaction/transaction.ts'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { jsonFiles } from './officialSuites.ts'

/**
 * Runs blockchain tests in the format of ethereum/tests through the importer:
 * `npm run long -- blockTests <folder>`. The valid blocks up to the last one have to be taken, each invalid
 * one has to be refused after the blocks before it.
 */

interface TestBlock {
  readonly rlp: string
  readonly expectException?: string
  readonly expectExceptionALL?: string
  readonly blockHeader?: { readonly hash: string; readonly parentHash: string }
  readonly rlp_decoded?: { readonly blockHeader?: { readonly parentHash: string } }
}

interface BlockTest {
  readonly network: string
  readonly genesisBlockHeader: Readonly<Record<string, string>>
  readonly pre: Readonly<Record<string, unknown>>
  readonly blocks: readonly TestBlock[]
  readonly lastblockhash: string
}

const schedule: readonly (readonly [network: string, ...members: string[]])[] = [
  ['Frontier'],
  ['Homestead', 'homesteadBlock'],
  ['Dao', 'daoForkBlock'],
  ['EIP150', 'eip150Block'],
  ['EIP158', 'eip155Block', 'eip158Block'],
  ['Byzantium', 'byzantiumBlock'],
  ['Constantinople', 'constantinopleBlock'],
  ['ConstantinopleFix', 'petersburgBlock'],
  ['Istanbul', 'istanbulBlock', 'muirGlacierBlock'],
  ['Berlin', 'berlinBlock'],
  ['London', 'londonBlock'],
  ['ArrowGlacier', 'arrowGlacierBlock'],
  ['GrayGlacier', 'grayGlacierBlock'],
  ['Paris'],
  ['Shanghai', 'shanghaiTime'],
  ['Cancun', 'cancunTime'],
  ['Prague', 'pragueTime'],
  ['Osaka', 'osakaTime'],
]

const depositContract = '0x00000000219ab540356cbb839cbe05303d7705fa'

const configFor = (network: string): Record<string, unknown> => {
  const [, first, then, kind, at] =
    /^(\w+?)(?:To(\w+?)At(Time|Diff)?(\w+))?$/.exec(network.replace('Merge', 'Paris')) ?? []
  const indexOf = (name: string | undefined): number => {
    const index = schedule.findIndex(([known]) => known === name)
    if (index < 0) throw new Error(`the network ${network} is not known`)
    return index
  }
  const config: Record<string, unknown> = { chainId: 1, ethash: {}, depositContractAddress: depositContract }
  const activate = (name: number, value: number): void => {
    for (const member of schedule[name]?.slice(1) ?? [])
      if (member !== 'daoForkBlock' || value > 0) config[member] = value
  }
  const from = indexOf(first)
  for (let index = 0; index <= from; index++) activate(index, 0)
  if (from >= indexOf('Paris')) config.terminalTotalDifficulty = 0
  if (then === undefined) return config
  const to = indexOf(then)
  if (kind === 'Diff') config.terminalTotalDifficulty = Number(`0x${at}`)
  else {
    const value = kind === 'Time' ? Number(at?.replace('k', '000')) : Number(at)
    for (let index = from + 1; index <= to; index++) activate(index, value)
    if (then === 'Dao') config.daoForkSupport = true
  }
  return config
}

const genesisOf = ({ network, genesisBlockHeader: header, pre }: BlockTest) =>
  parseGenesis(JSON.stringify({ ...header, config: configFor(network), alloc: pre, number: 0 }))

const modules = await loadEvmModules()
const evm = createEvm(modules, precompilesAt)

const isRefusal = (error: unknown): boolean =>
  error instanceof InvalidBlockError || error instanceof RlpError || error instanceof TransactionError

const readBlock = (bytes: Uint8Array, config: ChainConfig) => {
  const block = decodeBlock(bytes)
  const fork = forkOfHeader(config, block.header)
  const senders = block.transactions.map(({ transaction }) => recoverSender(transaction, fork))
  return toImportedBlock(block, bytes.length, senders)
}

/** Imports the blocks one after the other; gives the hash of the head and why it ended. */
const importAll = async (
  test: BlockTest,
  rlps: readonly string[],
): Promise<{ head: string; refusal: string | undefined }> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-blocks-'))
  const environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0, mapBytes: 2 ** 32 })
  try {
    const state = new StateStore(environment)
    const blocks = new BlockStore(environment)
    const parts = { environment, state, blocks, evm }
    const genesis = genesisOf(test)
    const first = await new Application(genesis.config, parts).initChain(genesis)
    if (toHex(first.hash) !== test.genesisBlockHeader.hash)
      return { head: toHex(first.hash), refusal: 'genesis' }
    const importer = new ChainImporter(genesis.config, parts)
    let refusal: string | undefined
    try {
      for (const rlp of rlps) await importer.importBlocks([readBlock(fromHex(rlp), genesis.config)])
    } catch (error) {
      if (!isRefusal(error)) throw error
      refusal = (error as Error).message
    }
    return { head: toHex(importer.head.hash), refusal }
  } finally {
    await environment.close()
    rmSync(folder, { recursive: true })
  }
}

/** The blocks from the first to the one with this hash. */
const pathTo = (hash: string, test: BlockTest): string[] => {
  const valid = new Map(
    test.blocks.flatMap(({ blockHeader, rlp, expectException, expectExceptionALL }) =>
      blockHeader && !expectException && !expectExceptionALL
        ? [[blockHeader.hash, { rlp, parentHash: blockHeader.parentHash }]]
        : [],
    ),
  )
  const path: string[] = []
  for (let block = valid.get(hash); block !== undefined; block = valid.get(block.parentHash))
    path.unshift(block.rlp)
  return path
}

const run = async (test: BlockTest): Promise<string | undefined> => {
  const { head, refusal } = await importAll(test, pathTo(test.lastblockhash, test))
  if (refusal !== undefined || head !== test.lastblockhash) return `ended at ${head}: ${refusal}`
  for (const block of test.blocks) {
    const expected = block.expectException ?? block.expectExceptionALL
    if (expected === undefined) continue
    const parent = block.blockHeader?.parentHash ?? block.rlp_decoded?.blockHeader?.parentHash
    const before = parent === undefined ? [] : pathTo(parent, test)
    const invalid = await importAll(test, [...before, block.rlp])
    if (invalid.refusal === undefined) return `took a block that has ${expected}`
    if (process.argv.includes('--verbose')) console.log(`  ${expected} → ${invalid.refusal.slice(0, 150)}`)
  }
  return undefined
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('name a folder of blockchain tests')
let passed = 0
let failed = 0
for (const file of jsonFiles(folder)) {
  const tests = JSON.parse(readFileSync(file, 'utf8')) as Record<string, BlockTest>
  for (const [name, test] of Object.entries(tests)) {
    if (name === '_info' || test.blocks === undefined) continue
    const problem = await run(test).catch((error: unknown) => String((error as Error).stack))
    if (problem === undefined) passed++
    else {
      failed++
      console.log(`${file} ${name} (${test.network}): ${problem}`)
    }
  }
}
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
