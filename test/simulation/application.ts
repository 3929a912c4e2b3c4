import { join } from 'node:path'
import { createLogger } from '../../src/base/logging/log.ts'
import { noopWaitRecorder } from '../../src/base/profiling/lockWaitStats.ts'
import { parseValidatorConfig } from '../../src/chain/validators/validatorConfig.ts'
import type { EngineApplication } from '../../src/engine/application.ts'
import { notBeforeParent } from '../../src/engine/blocks/blockTime.ts'
import { createAbciHandler } from '../../src/engine/cometbft/abci/handler.ts'
import type { AbciHandler } from '../../src/engine/cometbft/abci/messages.ts'
import type { EngineContext, PreparedEngine } from '../../src/engine/engine.ts'
import { noEngine } from '../../src/engine/none/engine.ts'
import { ValidatorSetReader } from '../../src/engine/validatorSetReader.ts'
import { createEvm, type Evm } from '../../src/evm/evm.ts'
import { type EvmModules, loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { AppThread } from '../../src/node/application/thread.ts'
import { type Node, startNode } from '../../src/node/node.ts'
import type { NodeParts } from '../../src/node/opening/nodeOptions.ts'
import { nodeOptions } from '../support/nodeOptions.ts'
import { rewardOf } from './scenario.ts'

const log = createLogger('silent')
const modules: EvmModules = await loadEvmModules()

/** The seams at which a defect is planted in a node; each function returns what takes the place of its argument. */
export interface Seams {
  readonly evm?: (evm: Evm) => Evm
  readonly application?: (app: EngineApplication) => EngineApplication
  readonly context?: (context: EngineContext) => EngineContext
  readonly handler?: (handler: AbciHandler, context: EngineContext) => AbciHandler
}

/** The program of one node, from a start to a crash: pool, application and ABCI, all on this thread. */
export interface RunningProgram {
  readonly context: EngineContext
  readonly handler: AbciHandler
  close(): Promise<void>
}

export interface ProgramOptions {
  readonly folder: string
  readonly index: number
  readonly genesis: string
  readonly seams: Seams
  /** Called with the reason for which a proposal is refused. */
  readonly onRefused: (reason: string) => void
  /** Called after each call of the application has done its work, and before the handler goes on. */
  readonly afterApplication: () => void
}

/** Creates the EVM of a node, which outlives its crashes: it has no state of the chain. */
export const createNodeEvm = ({ evm }: Seams): Evm => {
  const created = createEvm(modules, precompilesAt)
  return evm?.(created) ?? created
}

/** Starts the program of a node. Its application is the thread's, served on this thread. */
export const startProgram = async (options: ProgramOptions, evm: Evm): Promise<RunningProgram> => {
  let running: Pick<RunningProgram, 'context' | 'handler'> | undefined
  const engine: PreparedEngine = {
    ...noEngine,
    blobs: { accepted: false, rejection: 'no sidecar travels with a block' },
    nextBlockTime: notBeforeParent,
    create: (given) => {
      const context = options.seams.context?.(given) ?? given
      return {
        ...noEngine.create(context),
        start: async () => {
          running = { context, handler: createHandler(context, options) }
        },
      }
    },
  }
  const defaults = nodeOptions(options.folder, [])
  const node: Node = await startNode(
    {
      ...defaults,
      genesis: { kind: 'file', text: options.genesis },
      engine,
      appearances: false,
      coinbase: rewardOf(options.index),
    },
    log,
    noopWaitRecorder,
    partsWith(evm),
  )
  if (running === undefined) throw new Error('the engine was not started')
  return { ...running, close: () => node.close() }
}

const partsWith = (evm: Evm): NodeParts => ({
  startApplication: (options) => AppThread.startHere(options, async () => evm),
  loadModules: async () => modules,
  // Everything at once and on this thread, so that nothing depends on how threads are scheduled.
  recovery: { threads: 1, maxWaiting: 100_000, maxBatch: 100_000, maxInline: 100_000 },
})

const createHandler = (context: EngineContext, options: ProgramOptions): AbciHandler => {
  const { blocks, state, config } = context
  const { seams } = options
  const unused = (): never => {
    throw new Error('no part of the simulation')
  }
  const real = context.app
  const after = async <Result>(result: Promise<Result>): Promise<Result> => {
    const done = await result
    options.afterApplication()
    return done
  }
  const counted: EngineApplication = {
    processProposal: async (proposal) => {
      const reason = await after(real.processProposal(proposal))
      if (reason !== undefined) options.onRefused(reason)
      return reason
    },
    finalizeDecided: (decided) => after(real.finalizeDecided(decided)),
    commitDecided: () => after(real.commitDecided()),
    offerSnapshot: unused,
    applyChunk: unused,
  }
  const sets = new ValidatorSetReader(state)
  const dependencies = {
    ...context,
    app: seams.application?.(counted) ?? counted,
    onSnapshotRestored: unused,
    genesisHash: () => blocks.blockHashAt(0) ?? unused(),
    genesisValidators: () => sets.afterBlock(0),
    reward: { forProposer: () => context.producer.coinbase },
    snapshots: { list: () => [], chunk: unused, onCommitted: () => {} },
    relay: {
      markInMempool: () => {},
      returnFromMempool: () => {},
      takeRenewal: () => false,
      takeDropped: () => false,
      onHead: () => {},
    },
    onVotes: () => {},
    onUnknownFork: unused,
    onLowSpace: unused,
    signatures: undefined,
    onForeignSignature: unused,
    retainHeight: () => 0n,
    query: unused,
  }
  const { validators } = parseValidatorConfig(config.source) ?? { validators: [] }
  const handler = createAbciHandler({ config, validators }, dependencies)
  return seams.handler?.(handler, context) ?? handler
}

export const programFolder = (root: string, index: number): string => join(root, `node${index}`)
