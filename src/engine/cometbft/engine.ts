import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AbciAddress, addressText } from '../../base/abciAddress.ts'
import { badFile } from '../../base/exit.ts'
import { ResourceStack } from '../../base/resources.ts'
import { unsupported } from '../../chain/chainError.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { Control } from '../../chain/port/control.ts'
import type { CosmosView } from '../../chain/port/cosmos.ts'
import { readValidatorConfig, type Validator } from '../../chain/validators/validators.ts'
import type { Engine, EngineContext } from '../engine.ts'
import { EngineCallBooks, type EngineCalls } from '../metrics.ts'
import { ValidatorSets } from '../validatorSets.ts'
import { createAbciHandler, nativeOfPool } from './abci/handler.ts'
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
import { EngineRpc } from './rpcClient.ts'
import { Snapshots } from './snapshots/snapshots.ts'
import { startFault } from './startFault.ts'

/** How long the engine may take to replay what the application misses before it serves. */
const startMs = 10 * 60_000
const pollMs = 100

/** The application under CometBFT: the server that it calls, the client for what it is told, and its process. */
export class CometEngine implements Engine {
  readonly network: CometNetwork
  readonly control: Control
  readonly cosmos: CosmosView
  readonly isOnDemand = false
  readonly #options: CometOptions
  readonly #context: EngineContext
  readonly #validators: readonly Validator[]
  readonly #sets: ValidatorSets
  readonly #rpc: EngineRpc
  readonly #books = new EngineCallBooks()
  readonly #resources = new ResourceStack()
  #process: EngineProcess | undefined
  #isReady = false
  #isStopping = false

  constructor(options: CometOptions, context: EngineContext) {
    const { connection } = options
    const { blocks, pool, producer, head } = context
    this.#options = options
    this.#context = context
    this.#validators = readValidators(context)
    this.#sets = new ValidatorSets(context.state)
    this.#rpc = new EngineRpc(
      connection.kind === 'managed' ? readRpcUrl(connection.folder) : connection.rpcUrl,
    )
    const rpc = this.#rpc
    this.network = new CometNetwork({ rpc, blocks, sets: this.#sets, producer, head })
    this.control = createControl(context, (peer) => rpc.dialPeers([peer], true))
    this.cosmos = createCosmosView({ rpc, blocks, pool, head: () => Number(head().header.number) })
  }

  get facts(): Engine['facts'] {
    const pid = this.#process?.pid
    return { rpc: this.#rpc.url, ...(pid === undefined ? {} : { 'engine-pid': pid }) }
  }

  get calls(): EngineCalls {
    return this.#books.calls
  }

  start(chain: Chain): Promise<void> {
    const { log } = this.#context
    return ResourceStack.guard(
      async () => {
        await this.#open(chain)
        await this.#untilReady()
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

  /** What is on the stack last is closed first: no transactions are sent, then nothing is decided, then nobody is answered. */
  async #open(chain: Chain): Promise<void> {
    const { connection } = this.#options
    const { config, blocks, pool, log } = this.#context
    if (connection.kind === 'managed') {
      const timestamp = blocks.header(0)?.timestamp ?? 0n
      const genesis = createGenesisDoc({ chainId: config.chainId, timestamp, validators: this.#validators })
      writeGenesis(connection, genesis)
    }
    const broadcaster = new Broadcaster({ rpc: this.#rpc, nativeOf: nativeOfPool(pool), log })
    const handler = this.#createHandler(chain, this.#openSnapshots(), (id) => broadcaster.markCarried(id))
    const abci = await this.#listen(handler)
    this.#connect(abci)
    this.#resources.own('RPC client of CometBFT', () => this.#rpc.close())
    this.#broadcast(broadcaster)
  }

  #openSnapshots(): Snapshots {
    const { dataFolder, dataFile, blocks, log } = this.#context
    const snapshots = new Snapshots(
      { ...this.#options.snapshots, folder: join(dataFolder, 'snapshots'), path: dataFile },
      { blocks, log: log.part('snapshots') },
    )
    this.#resources.own('snapshots', () => snapshots.close())
    return snapshots
  }

  #createHandler(chain: Chain, snapshots: Snapshots, onCarried: (id: string) => void): AbciHandler {
    const { config, blocks, head, keptStates, minimumGasPrice, log } = this.#context
    const retainHeight = createRetainHeight(
      { keptStates },
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
        genesisHash: () => {
          const hash = blocks.blockHashAt(0)
          if (hash === undefined) throw new Error('the first block is missing')
          return hash
        },
        genesisSet: () => this.#sets.afterBlock(0),
        snapshots,
        onCarried,
        retainHeight: () => BigInt(retainHeight()),
        query: createQueryHandler(defaultQueryOptions, { chain, minimumGasPrice }, log),
      },
    )
  }

  async #listen(handler: AbciHandler): Promise<AbciAddress> {
    const { connection } = this.#options
    const server = new AbciServer({
      handler,
      log: this.#context.log,
      onCall: (call, milliseconds) => this.#books.add(call, milliseconds),
    })
    const address = await server.listen(
      connection.kind === 'managed' ? { kind: 'unix', path: connection.socket } : connection.abci,
    )
    this.#resources.own('ABCI server', () => server.close())
    return address
  }

  /** Starts CometBFT, or waits for the one that somebody else runs. */
  #connect(abci: AbciAddress): void {
    const { connection, onFatal } = this.#options
    const { log } = this.#context
    if (connection.kind === 'attached') {
      log.info({ abci: addressText(abci) }, 'waiting for CometBFT')
      return
    }
    const { program, folder } = connection
    // Until it is ready, `start` says that it is gone, and why.
    const onExit = (reason: string): void => {
      if (this.#isReady) onFatal(reason)
    }
    const process = new EngineProcess({ program, folder, abci, log, onExit })
    this.#resources.own('CometBFT', () => process.stop())
    this.#process = process
  }

  /** Sends what the pool holds, and what it takes from now on. */
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

  /** Resolves when CometBFT has brought the application up to its own height and serves. */
  async #untilReady(): Promise<void> {
    const until = performance.now() + startMs
    while (!this.#isStopping) {
      try {
        await this.#rpc.status()
        this.#isReady = true
        return
      } catch (error) {
        if (this.#process?.isEnded) throw startFault(this.#process.lastError)
        if (performance.now() > until) throw error
      }
      await pause(pollMs)
    }
    throw new Error('the engine was stopped before it was ready')
  }
}

const readValidators = ({ config }: EngineContext): readonly Validator[] => {
  const validators = readValidatorConfig(config.source)?.validators
  if (validators !== undefined) return validators
  throw badFile('the genesis names no validators (config.perihelion.validators): CometBFT needs them')
}

const createControl = ({ producer }: EngineContext, dial: (peer: string) => Promise<void>): Control => ({
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
