import type { AppHead } from '../../app/appHead.ts'
import { Application, type ForkStart, type RollbackOptions } from '../../app/application.ts'
import { type BlockAttributes, toBlockInputs } from '../../app/blockInputs.ts'
import { checkNewChain, findForkWarnings } from '../../app/chainCheck.ts'
import { findNewestProblems } from '../../app/dataCheck.ts'
import { genesisOfChain } from '../../app/genesisHash.ts'
import { type HeadMessage, toHeadMessage } from '../../app/headMessage.ts'
import { assertSameKind, type HomeRecord, recordHome } from '../../app/homeRecord.ts'
import { packFixed, unpackCandidates } from '../../app/packing.ts'
import { isRestoreInterrupted, resetToGenesis } from '../../app/snapshot/restore.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { damagedFile } from '../../base/lmdb/file/damage.ts'
import { isDamageError, isLmdbError, LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { beginStage, endStage } from '../../base/profiling/stages.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { UnusableGenesisError } from '../../chain/genesis/checks.ts'
import { GenesisConflictError, type GivenChain } from '../../chain/genesis/conflicts.ts'
import { createDevGenesis, type DevGenesisOptions } from '../../chain/genesis/devGenesis.ts'
import { type Genesis, parseGenesis } from '../../chain/genesis/genesis.ts'
import type { AccountEdit } from '../../chain/state/accountEdit.ts'
import type { ExcludedTransaction } from '../../engine/application.ts'
import { createEngineService } from '../../engine/applicationService.ts'
import { createEvm, type Evm } from '../../evm/evm.ts'
import { loadEvmModules } from '../../evm/host/evmModules.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { openThreadFork, type ThreadFork, type ThreadForkOptions } from '../../fork/threadSource.ts'
import type { PruningMode } from '../../state/history/prune.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStore } from '../../store/blockStore.ts'
import type { DevRecord } from '../../store/tables/chainMeta.ts'
import { StoreError } from '../../store/tables/chainMeta.ts'
import { ConsoleWatch } from '../calls/consoleWatch.ts'
import { type ForkGenesisOptions, forkConfig, readForkStart } from './forkGenesis.ts'
import { openStoredChain, type StoredParts } from './storedChain.ts'

/** The genesis for a home without blocks. */
export type GenesisSource =
  /**
   * The text is a genesis file in geth's format; `path` names it in messages. One of the home says how the chain began, and
   * changes nothing about one that is there.
   */
  | { readonly kind: 'file'; readonly text: string; readonly path?: string; readonly isOfHome?: boolean }
  | { readonly kind: 'dev'; readonly options: DevGenesisOptions }
  | { readonly kind: 'fork'; readonly options: ForkGenesisOptions }

export interface AppOptions {
  /** The path of the data file. */
  readonly path: string
  /** Whether this process has checked the pages of the file already. Defaults to false. */
  readonly isChecked?: boolean
  /** Whether nobody opens the file again, so that nothing needs to reach the disk. Defaults to false. */
  readonly isEphemeral?: boolean
  /** The free space below which no commit starts; 0 for no limit. */
  readonly minFreeBytes?: number
  readonly pruning: PruningMode
  /** Whether the index from addresses to transactions is maintained. */
  readonly appearances: boolean
  readonly genesis: GenesisSource
  /** The remote chain that the chain is forked from, if it is. */
  readonly fork?: ThreadForkOptions | undefined
  /** What the operator expects of the chain. A stored chain that differs is not opened. */
  readonly given?: GivenChain | undefined
  /** What is written about the home before the first block; undefined if nothing is. */
  readonly record?: HomeRecord | undefined
  /** Whether blocks tell if contracts called the console. Defaults to false. */
  readonly watchesConsole?: boolean
  /** Whether an engine makes blocks; a new chain is then rejected if none could be made. */
  readonly producesBlocks: boolean
  /**
   * Memory shared with the main thread: the ticket of the proposal that is worth executing ahead of its decision. Without
   * it none is.
   */
  readonly wantedProposal?: Int32Array
}

/** The response to the first call, with the head of the chain. */
export interface OpenedMessage extends HeadMessage {
  /** Whether the chain was created by this start. */
  readonly isNew: boolean
  /** What the operator should know about the chain's rules before they take effect. */
  readonly warnings: readonly string[]
}

export interface BlockMessage extends HeadMessage {
  /** The packed hashes of the included transactions. */
  readonly included: Uint8Array
  /** The transactions that were not included, with the reasons. */
  readonly rejected: readonly ExcludedTransaction[]
  /** The packed addresses of the accounts that changed. */
  readonly changed: Uint8Array
  /** Whether a contract called the console, as far as that is watched. */
  readonly isConsoleUsed: boolean
}

/** Creates the service of the application thread, the only thread that writes. */
export const createAppService = async (options: AppOptions, loadEvm: () => Promise<Evm> = createAppEvm) => {
  const { path, isChecked = false, isEphemeral, minFreeBytes } = options
  const environment = new LmdbEnvironment({
    path,
    isChecked,
    isDurable: isEphemeral !== true,
    ...(minFreeBytes === undefined ? {} : { minFreeBytes }),
  })
  try {
    return await serveChain(environment, options, loadEvm)
  } catch (error) {
    await environment.close()
    throw explainLmdbError(error, path)
  }
}

/** Returns the error of a file that is damaged or that the disk does not let use; any other is returned as it is. */
const explainLmdbError = (error: unknown, path: string): unknown => {
  if (!isLmdbError(error)) return error
  const { message } = error as Error
  return isDamageError(error)
    ? damagedFile(path, [message])
    : new StoreError(`${path} cannot be used: ${message}`)
}

const createAppEvm = async (): Promise<Evm> => createEvm(await loadEvmModules(), precompilesAt)

/** Opens the chain of a data file, or creates one. */
const serveChain = async (environment: LmdbEnvironment, options: AppOptions, loadEvm: () => Promise<Evm>) => {
  environment.clearStaleReaders()
  const evm = await loadEvm()
  let fork = options.fork && openThreadFork(options.fork)
  const { state, blocks } = environment.openTables(() => ({
    state: new StateStore(environment, { pruning: options.pruning, fork: () => fork?.source }),
    blocks: new BlockStore(environment, { appearances: options.appearances }),
  }))
  const dependencies = { environment, state, blocks }
  assertNewestBlocks(dependencies)
  const isNew = blocks.meta.config() === undefined
  const begun = isNew ? readBeginning(options.genesis) : undefined
  const { genesis: source } = options
  const givenFile = source.kind === 'file' && source.isOfHome !== true ? source : undefined
  const readFile = givenFile && (() => readGenesis(givenFile))
  const config = begun?.config ?? (await openStoredChain(dependencies, options.given ?? {}, readFile))
  const firstFindings =
    begun?.genesis !== undefined && source.kind === 'file' && options.producesBlocks
      ? checkNewChain(begun.genesis, evm, BigInt(Math.floor(Date.now() / 1000)))
      : undefined
  if (firstFindings !== undefined && firstFindings.problems.length > 0)
    throw new UnusableGenesisError(`genesis: ${firstFindings.problems.join('; ')}`)
  if (begun !== undefined && givenFile !== undefined)
    assertChainId(options.given?.chainId, config.chainId, givenFile.path)
  if (begun !== undefined && options.record !== undefined)
    assertSameKind(options.record, source.kind !== 'file')
  const record = (genesisHash: Uint8Array | undefined): void => {
    if (options.record !== undefined)
      recordHome(options.record, { chainId: config.chainId, genesisHash, file: givenFile })
  }
  const consoleWatch = options.watchesConsole === true ? new ConsoleWatch() : undefined
  const parts = {
    environment,
    state,
    blocks,
    evm: consoleWatch === undefined ? evm : consoleWatch.watch(evm),
  }
  let app = new Application(config, parts)
  const readGenesisOfChain = (): Genesis => {
    if (source.kind === 'fork') throw new Error('a forked chain has no genesis')
    const hash = blocks.meta.genesisHash()
    const read = readGenesis(source)
    if (hash === undefined) return read
    const found = genesisOfChain(read, hash)
    if (equalBytes(found.hash, hash)) return found.genesis
    throw new StoreError('the genesis that this chain began with is needed: name its file with --genesis')
  }
  const begin = async (
    beginning: Beginning,
    beforeCommit: (hash: Uint8Array | undefined) => void = () => {},
  ): Promise<AppHead> => {
    if (beginning.genesis !== undefined) return app.initChain(beginning.genesis, beforeCommit)
    const start = readStart(beginning, fork)
    beforeCommit(undefined)
    return app.initFork(start)
  }
  if (begun !== undefined) await begin(begun, record)
  else {
    record(blocks.meta.genesisHash())
    if (isRestoreInterrupted(dependencies)) await resetToGenesis(dependencies, readGenesisOfChain())
  }

  /** Returns what is wrong with the forks that are ahead of the head. */
  const findWarnings = (): readonly string[] => {
    const { header } = requireHead(app)
    const at = Number(header.number)
    return findForkWarnings({ evm, config: app.config, state: state.reader(at), head: header })
  }

  return {
    opened: (): OpenedMessage => ({
      ...toHeadMessage(requireHead(app)),
      isNew,
      warnings: firstFindings?.warnings ?? [],
    }),

    findForkWarnings: findWarnings,

    produceBlock: async (decision: BlockAttributes, transactions: Uint8Array): Promise<BlockMessage> => {
      const { header, hash } = requireHead(app)
      const inputs = toBlockInputs(header, hash, decision)
      const begun = beginStage()
      const candidates = unpackCandidates(transactions)
      endStage('unpack', begun, candidates.length)
      const { outcome } = app.executeBlock(inputs, candidates)
      const head = await app.commit()
      return {
        ...toHeadMessage(head),
        included: packHashes(outcome.transactions),
        rejected: outcome.rejected.map(({ candidate, reason }) => ({ hash: candidate.hash.slice(), reason })),
        changed: packFixed(outcome.changes.accounts.map(({ address }) => address)),
        isConsoleUsed: consoleWatch?.takeIsUsed() ?? false,
      }
    },

    produceEmptyBlocks: async (times: readonly number[], beneficiary: Uint8Array): Promise<HeadMessage> =>
      toHeadMessage(await app.commitEmptyBlocks(times, beneficiary)),

    ...createEngineService(app, dependencies, readGenesisOfChain, options.wantedProposal),

    rollback: async (height: number, options: RollbackOptions): Promise<HeadMessage> =>
      toHeadMessage(await app.rollback(height, options)),

    /** Begins another chain in the place of this one. If it rejects, this one is as it was. */
    reset: async (
      genesis: GenesisSource,
      forkOptions: ThreadForkOptions | undefined,
    ): Promise<HeadMessage> => {
      const beginning = readBeginning(genesis)
      const before = fork
      const next = forkOptions && openThreadFork(forkOptions)
      let begun = app
      try {
        const first = beginning.genesis ?? readStart(beginning, next)
        fork = next
        await environment.transact(() => {
          const { tables } = state
          // Other threads tell changes from outside a block apart by their numbers.
          const lastEdit = tables.edits.lastNumber()
          tables.clear()
          tables.edits.keepNumber(lastEdit)
          blocks.clear()
          begun = new Application(beginning.config, parts)
          begun.writeFirst(first)
        })
      } catch (error) {
        fork = before
        await next?.close()
        throw error
      }
      app = begun
      await before?.close()
      return toHeadMessage(app.reload())
    },

    pruneBlocks: (height: number): Promise<number> => app.pruneBlocks(height),

    setChainId: (chainId: bigint): Promise<string> => app.setChainId(chainId),

    edit: (edits: readonly AccountEdit[]): Promise<void> => app.edit(edits),

    saveDev: (record: DevRecord): Promise<void> => app.saveDev(record),

    close: async (): Promise<void> => {
      await fork?.close()
      await environment.close()
    },
  }
}

/** Throws if one of the newest blocks, or its state, contradicts its hash: it would be served, and built upon. */
const assertNewestBlocks = ({ environment, state, blocks }: StoredParts): void => {
  const problems = findNewestProblems(environment, state, blocks)
  if (problems.length === 0) return
  const remedy =
    'run `perihelion db check`; restore the file from a backup, revert to a block before the damage with `perihelion rollback --to`, or import or sync the chain again'
  throw damagedFile(environment.path, problems, remedy)
}

/** Throws if the operator gave another chain id than a genesis file has, with which a chain is to begin. */
const assertChainId = (given: GivenChain['chainId'], chainId: bigint, path = 'the genesis'): void => {
  if (given !== undefined && given.value !== chainId)
    throw new GenesisConflictError(
      `chain-id: got ${given.value} (${given.where}), but ${path} has ${chainId}: leave it out, or give another genesis`,
    )
}

const readGenesis = (source: Exclude<GenesisSource, { readonly kind: 'fork' }>): Genesis =>
  source.kind === 'file' ? parseGenesis(source.text, source.path) : createDevGenesis(source.options)

/** What a new chain begins with: a genesis, or the block of a remote chain. */
type Beginning =
  | { readonly config: ChainConfig; readonly genesis: Genesis }
  | { readonly config: ChainConfig; readonly genesis: undefined; readonly fork: ForkGenesisOptions }

const readBeginning = (source: GenesisSource): Beginning => {
  if (source.kind === 'fork')
    return { config: forkConfig(source.options), genesis: undefined, fork: source.options }
  const genesis = readGenesis(source)
  return { config: genesis.config, genesis }
}

/** Reads the first block of a forked chain. */
const readStart = (
  beginning: Extract<Beginning, { readonly genesis: undefined }>,
  fork: ThreadFork | undefined,
): ForkStart => {
  if (fork === undefined) throw new Error('a forked chain has no remote')
  return readForkStart(beginning.fork, fork.source)
}

const requireHead = (app: Application): AppHead => {
  if (app.head === undefined) throw new Error('the chain has no first block')
  return app.head
}

const packHashes = (transactions: readonly { readonly hash: Uint8Array }[]): Uint8Array =>
  packFixed(transactions.map(({ hash }) => hash))
