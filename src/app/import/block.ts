import { keccak256 } from '../../base/crypto/crypto.ts'
import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { version } from '../../base/version.ts'
import { type Block, bodyRoots } from '../../chain/block/block.ts'
import { type Header, headerHash } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { since } from '../../chain/config/forks.ts'
import {
  createLiveConfig,
  type LiveChainConfig,
  requireKnownRules,
  UnknownForkError,
} from '../../chain/config/liveConfig.ts'
import { type RecoveredTransaction, TransactionError } from '../../chain/transaction/transaction.ts'
import { checkTransaction } from '../../chain/transaction/transactionRules.ts'
import { followSchedule } from '../../chain/validators/schedule.ts'
import { SystemCallError } from '../../evm/block/systemCalls.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import { inputsOfBlock } from '../blockInputs.ts'
import { type BlockExecutionDependencies, executeNextBlock, type NextBlock } from '../nextBlock.ts'
import { type BlockHead, checkHeader, type HeaderRules } from './headerRules.ts'
import { BlockChecks, InvalidBlockError } from './invalidBlock.ts'
import { checkOmmers } from './ommerRules.ts'

/** The maximum size of a block (EIP-7934): 10 MiB less 2 MiB for the consensus layer. */
const maxBlockBytes = 8 * 2 ** 20

/** A decoded block with the senders of its transactions. */
export interface ImportedBlock extends Block {
  readonly candidates: readonly RecoveredTransaction[]
  /** The size of its encoding in bytes. */
  readonly size: number
}

/**
 * Adds the senders to a block. A sender is undefined if its signature is invalid; then this throws an
 * InvalidBlockError.
 */
export const toImportedBlock = (
  block: Block,
  size: number,
  senders: readonly (Uint8Array | undefined)[],
): ImportedBlock => ({
  ...block,
  size,
  candidates: block.transactions.map(({ transaction, raw }, index) => {
    const sender = senders[index]
    if (sender !== undefined) return { transaction, raw, hash: keccak256(raw), sender }
    const field = `transactions[${index}]`
    throw new InvalidBlockError(block.header.number, field, 'a signature', 'none that holds')
  }),
})

export interface ImportDependencies extends BlockExecutionDependencies {
  readonly environment: LmdbEnvironment
}

/** Imports a chain block by block and verifies everything that can be computed. */
export class ChainImporter {
  readonly config: LiveChainConfig
  readonly #dependencies: ImportDependencies
  #head: BlockHead
  /** The total difficulty; undefined after the merge, when it does not matter any more. */
  #totalDifficulty: bigint | undefined

  /** Creates an importer for a store that has its genesis block. */
  constructor(config: ChainConfig, dependencies: ImportDependencies) {
    this.config = createLiveConfig(config)
    this.#dependencies = dependencies
    this.#head = storedHead(dependencies)
    this.#followSchedule()
    this.#totalDifficulty = this.#loadTotalDifficulty()
  }

  get head(): BlockHead {
    return this.#head
  }

  /**
   * Executes and writes the blocks in one transaction, so that a crash leaves all of them or none. Throws an
   * InvalidBlockError at the first invalid block, and an UnknownForkError at the first whose rules this version does not
   * have; the blocks before it are written.
   */
  async importBlocks(blocks: readonly ImportedBlock[]): Promise<void> {
    let failure: InvalidBlockError | UnknownForkError | undefined
    await this.#dependencies.environment.transact(() => {
      for (const block of blocks) {
        try {
          this.#importBlock(block)
        } catch (error) {
          if (!(error instanceof InvalidBlockError || error instanceof UnknownForkError)) throw error
          failure = error
          return
        }
      }
    })
    if (failure !== undefined) throw failure
  }

  #importBlock(block: ImportedBlock): void {
    const { header } = block
    requireKnownRules(this.config, header.timestamp, version)
    const checks = new BlockChecks(this.#head.header.number + 1n)
    const rules = checkHeader(this.config, this.#head, header, this.#isMerged(), checks)
    checkBody(block, rules, checks)
    checkOmmers(this.config, this.#dependencies.blocks, block, rules.isMerged, checks)
    checkTransactions(block, rules, this.config, checks)
    const next = this.#execute(block, checks)
    checkOutcome(next, block, checks)
    next.state.write()
    this.#dependencies.blocks.write(encodeBlockRows(next.block))
    this.#head = { header: next.block.header, hash: next.block.hash }
    this.#followSchedule()
    if (this.#totalDifficulty !== undefined) this.#totalDifficulty += header.difficulty
  }

  #followSchedule(): void {
    followSchedule(this.config, this.#dependencies.state.reader(Number(this.#head.header.number)))
  }

  #execute(block: ImportedBlock, checks: BlockChecks): NextBlock {
    try {
      const inputs = inputsOfBlock(this.#head, block)
      return executeNextBlock(this.#dependencies, this.config, inputs, block.candidates)
    } catch (error) {
      if (error instanceof SystemCallError) throw checks.error('requestsHash', 'requests', error.message)
      throw error
    }
  }

  #isMerged(): boolean {
    const { terminalTotalDifficulty: terminal } = this.config
    if (this.#totalDifficulty === undefined) return true
    return terminal !== undefined && this.#totalDifficulty >= terminal
  }

  #loadTotalDifficulty(): bigint | undefined {
    if (this.#head.header.difficulty === 0n) return undefined
    let sum = 0n
    for (let number = Number(this.#head.header.number); number >= 0; number--)
      sum += this.#dependencies.blocks.header(number)?.difficulty ?? 0n
    return sum
  }
}

const storedHead = ({ blocks }: BlockExecutionDependencies): BlockHead => {
  const head = blocks.head()
  const header = head && blocks.header(head.number)
  if (head === undefined || header === undefined) throw new Error('the chain has no first block')
  return { header, hash: head.hash }
}

const checkBody = (block: ImportedBlock, { fork }: HeaderRules, checks: BlockChecks): void => {
  const { header } = block
  const roots = bodyRoots(block)
  checks.assertEqual('ommersHash', roots.ommersHash, header.ommersHash)
  checks.assertEqual('transactionsRoot', roots.transactionsRoot, header.transactionsRoot)
  checks.assertEqual('withdrawalsRoot', roots.withdrawalsRoot, header.withdrawalsRoot)
  if (since(fork, 'osaka') && block.size > maxBlockBytes)
    throw checks.error('size', `at most ${maxBlockBytes} bytes`, block.size)
}

const checkTransactions = (
  { candidates }: ImportedBlock,
  { fork }: HeaderRules,
  { chainId, limits }: ChainConfig,
  checks: BlockChecks,
): void => {
  for (const [index, { transaction }] of candidates.entries()) {
    try {
      checkTransaction(transaction, fork, chainId, limits)
    } catch (error) {
      if (!(error instanceof TransactionError)) throw error
      throw checks.error(`transactions[${index}]`, 'a valid one', error.message)
    }
  }
}

/** The header fields that execution determines, most telling first. */
const outcomeFields: readonly (keyof Header)[] = [
  'gasUsed',
  'blobGasUsed',
  'receiptsRoot',
  'logsBloom',
  'requestsHash',
  'stateRoot',
]

const checkOutcome = (
  { outcome, block }: NextBlock,
  { header, candidates }: ImportedBlock,
  checks: BlockChecks,
): void => {
  const [rejected] = outcome.rejected
  if (rejected !== undefined) {
    const index = candidates.indexOf(rejected.candidate)
    throw checks.error(`transactions[${index}]`, 'a valid one', rejected.reason)
  }
  for (const field of outcomeFields) checks.assertEqual(field, block.header[field], header[field])
  checks.assertEqual('hash', block.hash, headerHash(header))
}
