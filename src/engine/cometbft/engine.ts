import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AbciAddress, formatAbciAddress } from '../../base/encoding/abciAddress.ts'
import { badConfig, badFile } from '../../base/exit.ts'
import { ResourceStack } from '../../base/resources.ts'
import { unsupported } from '../../chain/chainError.ts'
import type { JsonObject } from '../../chain/config/gethJson.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { ChainControl } from '../../chain/port/control.ts'
import type { CosmosView } from '../../chain/port/cosmos.ts'
import { parseValidatorConfig, type Validator } from '../../chain/validators/validators.ts'
import type { Engine, EngineContext } from '../engine.ts'
import { EngineCallStats, type EngineCalls } from '../metrics.ts'
import { ValidatorSetReader } from '../validatorSetReader.ts'
import { createAbciHandler, createPoolEncoder } from './abci/handler.ts'
import type { AbciHandler } from './abci/messages.ts'
import { AbciServer } from './abci/server.ts'
import { Broadcaster } from './broadcaster.ts'
import { createCosmosView } from './cosmosView.ts'
import { CometNetwork } from './network.ts'
import type { CometOptions } from './options.ts'
import { createGenesisDoc } from './process/genesisDoc.ts'
import { writeGenesis } from './process/home.ts'
import { EngineProcess } from './process/process.ts'
import { readRpcUrl } from './process/rpcUrl.ts'
import { createQueryHandler, defaultQueryOptions } from './queries/queryHandler.ts'
import { createRetainHeight } from './retainHeight.ts'
import { EngineRpcClient } from './rpcClient.ts'
import { SnapshotService } from './snapshots/snapshotService.ts'
import { toStartError } from './startError.ts'

/** How long the engine may replay blocks to the application before it must serve. */
const startMs = 10 * 60_000
const pollMs = 100

/** The engine of a node under CometBFT: the ABCI server, the RPC client and the process. */
export class CometEngine implements Engine {
  readonly network: CometNetwork
  readonly control: ChainControl
  readonly cosmos: CosmosView
  readonly isInstantSeal = false
  readonly #options: CometOptions
  readonly #context: EngineContext
  readonly #validators: readonly Validator[]
  readonly #sets: ValidatorSetReader
  readonly #rpc: EngineRpcClient
  readonly #callStats = new EngineCallStats()
  readonly #resources = new ResourceStack()
  #process: EngineProcess | undefined
  #isReady = false
  /** Why the engine may not go on, if that was found before it was ready. */
  #refusal: Error | undefined
  #isStopping = false

  constructor(options: CometOptions, context: EngineContext) {
    const { connection } = options
    const { blocks, pool, producer, head } = context
    this.#options = options
    this.#context = context
    this.#validators = readValidators(context)
    this.#sets = new ValidatorSetReader(context.state)
    this.#rpc = new EngineRpcClient(
      connection.kind === 'managed' ? readRpcUrl(connection.folder) : connection.rpcUrl,
    )
    const rpc = this.#rpc
    this.network = new CometNetwork({ rpc, blocks, validatorSets: this.#sets, producer, head })
    this.control = createControl(context, (peer) => rpc.dialPeers([peer], true))
    this.cosmos = createCosmosView({ rpc, blocks, pool, head: () => Number(head().header.number) })
  }

  get readyFields(): Engine['readyFields'] {
    const pid = this.#process?.pid
    return { rpc: this.#rpc.url, ...(pid === undefined ? {} : { 'engine-pid': pid }) }
  }

  get calls(): EngineCalls {
    return this.#callStats.calls
  }

  start(chain: Chain): Promise<void> {
    const { log } = this.#context
    return ResourceStack.guard(
      async () => {
        await this.#open(chain)
        await this.#waitUntilReady()
      },
      (error) => log.error({ err: error }, 'an engine that did not start could not be closed'),
      this.#resources,
    )
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#resources.closeAll()
    this.#context.log.debug('the engine is closed')
  }

  /**
   * Opens everything. The resources are closed in reverse order: transactions are not sent any more, then no block is
   * decided, then no call is answered.
   */
  async #open(chain: Chain): Promise<void> {
    const { connection } = this.#options
    const { config, blocks, pool, log } = this.#context
    if (connection.kind === 'managed') {
      const timestamp = blocks.header(0)?.timestamp ?? 0n
      const genesis = createGenesisDoc({ chainId: config.chainId, timestamp, validators: this.#validators })
      writeGenesis(connection, genesis)
    }
    const broadcaster = new Broadcaster({ rpc: this.#rpc, encode: createPoolEncoder(pool), log })
    const handler = this.#createHandler(chain, this.#openSnapshots(), (id) => broadcaster.markInMempool(id))
    const abci = await this.#listen(handler)
    this.#connect(abci)
    this.#resources.own('RPC client of CometBFT', () => this.#rpc.close())
    this.#broadcast(broadcaster)
  }

  #openSnapshots(): SnapshotService {
    const { dataFolder, dataFile, blocks, log } = this.#context
    const snapshots = new SnapshotService(
      { ...this.#options.snapshots, folder: join(dataFolder, 'snapshots'), path: dataFile },
      { blocks, log: log.component('snapshots') },
    )
    this.#resources.own('snapshots', () => snapshots.close())
    return snapshots
  }

  #createHandler(
    chain: Chain,
    snapshots: SnapshotService,
    onMempoolAccepted: (id: string) => void,
  ): AbciHandler {
    const { config, blocks, head, retainedStates, minimumGasPrice, log } = this.#context
    const retainHeight = createRetainHeight(
      { retainedStates },
      {
        head: () => ({ number: Number(head().header.number), time: head().header.timestamp }),
        timeAt: (height) => blocks.header(height)?.timestamp,
        oldestSnapshot: () => snapshots.oldestHeight(),
      },
    )
    return createAbciHandler(
      { config, validators: this.#validators },
      {
        ...this.#context,
        onSnapshotRestored: this.#context.onJump,
        genesisHash: () => {
          const hash = blocks.blockHashAt(0)
          if (hash === undefined) throw new Error('the first block is missing')
          return hash
        },
        genesisValidators: () => this.#sets.afterBlock(0),
        snapshots,
        onUnknownFork: (reason) => this.#stopForGood(reason),
        onMempoolAccepted,
        retainHeight: () => BigInt(retainHeight()),
        query: createQueryHandler(defaultQueryOptions, { chain, minimumGasPrice }, log),
      },
    )
  }

  /** Has the node stopped. Before the engine is ready, `start` rejects with the reason. */
  #stopForGood(reason: string): void {
    if (this.#isReady) this.#options.onFatal(reason)
    else this.#refusal = badConfig(reason)
  }

  async #listen(handler: AbciHandler): Promise<AbciAddress> {
    const { connection } = this.#options
    const server = new AbciServer({
      handler,
      log: this.#context.log,
      onCall: (call, milliseconds) => this.#callStats.record(call, milliseconds),
    })
    const address = await server.listen(
      connection.kind === 'managed' ? { kind: 'unix', path: connection.socket } : connection.abci,
    )
    this.#resources.own('ABCI server', () => server.close())
    return address
  }

  /** Starts CometBFT, or waits for one that the operator runs. */
  #connect(abci: AbciAddress): void {
    const { connection, onFatal } = this.#options
    const { log } = this.#context
    if (connection.kind === 'attached') {
      log.info({ abci: formatAbciAddress(abci) }, 'waiting for CometBFT')
      return
    }
    const { program, folder } = connection
    // Before it is ready, `start` reports the exit and its reason.
    const onExit = (reason: string): void => {
      if (this.#isReady) onFatal(reason)
    }
    const process = new EngineProcess({ program, folder, abci, log, onExit })
    this.#resources.own('CometBFT', () => process.stop())
    this.#process = process
  }

  /** Sends the pool's transactions, present and future. */
  #broadcast(broadcaster: Broadcaster): void {
    const { pool } = this.#context
    for (const { id } of pool.transactions()) broadcaster.add(id)
    const removers = [
      pool.events.on('pending', ({ id }) => broadcaster.add(id)),
      pool.events.on('dropped', ({ transaction }) => broadcaster.forget(transaction.id)),
    ]
    this.#resources.own('broadcaster', () => {
      for (const remove of removers) remove()
      broadcaster.close()
    })
  }

  /** Resolves when CometBFT has replayed its blocks to the application and serves its RPC. */
  async #waitUntilReady(): Promise<void> {
    const until = performance.now() + startMs
    while (!this.#isStopping) {
      if (this.#refusal !== undefined) throw this.#refusal
      try {
        await this.#rpc.status()
        this.#isReady = true
        return
      } catch (error) {
        if (this.#process?.isEnded) throw toStartError(this.#process.lastError)
        if (performance.now() > until) throw error
      }
      await pause(pollMs)
    }
    throw new Error('the engine was stopped before it was ready')
  }
}

const readValidators = ({ config }: EngineContext): readonly Validator[] => requireValidators(config.source)

/** Returns the validators that a genesis names; throws an ExitError where it names none. */
export const requireValidators = (config: JsonObject): readonly Validator[] => {
  const validators = parseValidatorConfig(config)?.validators
  if (validators !== undefined) return validators
  throw badFile('the genesis names no validators (config.perihelion.validators): CometBFT needs them')
}

const createControl = ({ producer }: EngineContext, dial: (peer: string) => Promise<void>): ChainControl => ({
  setHead: async () => {
    throw unsupported('blocks that CometBFT decided are final: the head does not move back')
  },
  setCoinbase: async (address) => {
    producer.coinbase = address
  },
  addPeer: async (peer) => {
    await dial(peer)
    return true
  },
})
