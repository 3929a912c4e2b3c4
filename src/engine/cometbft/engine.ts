import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { formatSocketAddress, type SocketAddress } from '../../base/encoding/socketAddress.ts'
import { badConfig, badFile, type ExitError } from '../../base/exit.ts'
import { ResourceStack } from '../../base/resources.ts'
import type { JsonObject } from '../../chain/config/gethJson.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { ChainControl } from '../../chain/port/control.ts'
import type { CosmosView } from '../../chain/port/cosmos.ts'
import { parseValidatorConfig, type Validator } from '../../chain/validators/validatorConfig.ts'
import { keyAddress } from '../blocks/proposers.ts'
import type { Engine, EngineContext } from '../engine.ts'
import { EngineCallStats, type EngineStats } from '../metrics.ts'
import { ValidatorSetReader } from '../validatorSetReader.ts'
import { createAbciHandler, encodePoolTransaction } from './abci/handler.ts'
import type { AbciHandler } from './abci/messages.ts'
import { AbciServer } from './abci/server.ts'
import { createCometControl } from './control.ts'
import { createCosmosView } from './native/cosmosView.ts'
import { CometNetwork } from './network.ts'
import type { CometConnection, CometOptions } from './options.ts'
import { createGenesisDoc } from './process/genesisDoc.ts'
import { nodeKeyPath, readKey, writeGenesis } from './process/home.ts'
import { InterruptedStart } from './process/interrupted.ts'
import { EngineProcess } from './process/process.ts'
import { type EngineConfig, readEngineConfig, readListenAddresses } from './process/readConfig.ts'
import { createRetainHeight } from './process/retainHeight.ts'
import { clearSignerSocket } from './process/signerSocket.ts'
import { toStartError } from './process/startError.ts'
import { createQueryHandler, defaultQueryOptions } from './queries/queryHandler.ts'
import { ValidatorReward } from './reward.ts'
import { EngineRpcClient } from './rpcClient.ts'
import { Broadcaster } from './sending/broadcaster.ts'
import { lockValidatorKey } from './signing/keyLock.ts'
import { nodeId } from './signing/keys.ts'
import { OwnSignatures } from './signing/ownSignatures.ts'
import { readSignState, signStatePath } from './signing/signState.ts'
import { SnapshotService } from './snapshots/snapshotService.ts'
import { ConsensusMonitor, defaultMonitorOptions } from './watch/consensusMonitor.ts'
import { defaultDeadlineOptions, ForkDeadline } from './watch/forkDeadline.ts'
import { defaultGenesisOptions, GenesisWatch } from './watch/genesisWatch.ts'
import { PeerHeights } from './watch/peerHeights.ts'
import { defaultSignerOptions, RemoteSignerWatch } from './watch/remoteSigner.ts'
import { ValidatorWatch } from './watch/validatorWatch.ts'

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
  readonly #reward: ValidatorReward
  readonly #rpc: EngineRpcClient
  readonly #callStats = new EngineCallStats()
  readonly #broadcaster: Broadcaster
  readonly #validatorWatch: ValidatorWatch
  readonly #hasUnsafeRpc: boolean
  readonly #remoteSigner: string | undefined
  readonly #resources = new ResourceStack()
  #process: EngineProcess | undefined
  /** Starts a CometBFT again that ended before it was ready, where that helps; throws the reason otherwise. */
  #onEarlyExit: (lastError: string) => void = () => {}
  #monitor: ConsensusMonitor | undefined
  /** What is known of a remote signer; undefined without one. */
  #signer: RemoteSignerWatch | undefined
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
    const height = (): number => Number(head().header.number)
    this.#reward = new ValidatorReward(options.reward, { producer, sets: this.#sets, height })
    const reward = this.#reward
    const { rpcUrl, hasUnsafeRpc, persistentPeers, remoteSigner } = describeConnection(connection)
    this.#hasUnsafeRpc = hasUnsafeRpc
    this.#remoteSigner = remoteSigner
    this.#rpc = new EngineRpcClient(rpcUrl)
    const rpc = this.#rpc
    this.#broadcaster = new Broadcaster({
      rpc,
      isIncludable: (transaction) => pool.isIncludable(transaction),
      pending: () => [...pool.transactions()].filter((transaction) => pool.isPending(transaction)),
      encode: encodePoolTransaction,
      log: context.log,
    })
    this.#validatorWatch = new ValidatorWatch(connection.kind === 'managed' ? connection.folder : undefined)
    const peerHeights = new PeerHeights({ rpc, now: () => performance.now() })
    const clock = (): number => Date.now()
    const validatorSets = this.#sets
    this.network = new CometNetwork({ rpc, blocks, validatorSets, reward, head, peerHeights, clock })
    this.control = createCometControl({ persistentPeers }, { rpc, reward, log: context.log })
    this.cosmos = createCosmosView({ rpc, blocks, pool, head: height })
  }

  get readyFields(): Engine['readyFields'] {
    const pid = this.#process?.pid
    return { rpc: this.#rpc.url, ...(pid === undefined ? {} : { 'engine-pid': pid }) }
  }

  readonly stats = (): EngineStats => ({
    calls: this.#callStats.calls,
    relay: this.#broadcaster.stats,
    failure: this.#monitor?.failure ?? this.#signer?.failure,
    validator: this.#validatorWatch.stats(),
  })

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
    const { config, blocks } = this.#context
    this.#reward.check()
    await this.#lockKey()
    if (connection.kind === 'managed') {
      const timestamp = blocks.header(0)?.timestamp ?? 0n
      const genesis = createGenesisDoc({ chainId: config.chainId, timestamp, validators: this.#validators })
      writeGenesis(connection, genesis)
    }
    if (this.#remoteSigner !== undefined) await this.#openSigner(this.#remoteSigner)
    const handler = this.#createHandler(chain, this.#openSnapshots())
    const server = this.#createServer(handler)
    this.#connect(await this.#listen(server))
    this.#resources.own('RPC client of CometBFT', () => this.#rpc.close())
    this.#broadcast()
    this.#watchForks()
    if (connection.kind === 'attached') this.#watch(server)
  }

  /** Makes room for the socket on which CometBFT waits for its signer, and watches whether that is there. */
  async #openSigner(address: string): Promise<void> {
    await clearSignerSocket(address, this.#context.log, { isStopping: () => this.#isStopping })
    const signer = new RemoteSignerWatch(
      { ...defaultSignerOptions, address },
      { now: () => performance.now(), log: this.#context.log },
    )
    this.#signer = signer
    this.#resources.own('watch of the signer', () => signer.close())
  }

  async #lockKey(): Promise<void> {
    const { signingKey } = this.#options
    if (signingKey === undefined) return
    const unlock = await lockValidatorKey(signingKey)
    this.#resources.own('lock of the key', unlock)
  }

  #openSignatures(): OwnSignatures | undefined {
    const { connection, signingKey } = this.#options
    if (connection.kind !== 'managed' || signingKey === undefined) return undefined
    const path = signStatePath(connection.folder)
    const startedAt = Date.now()
    const steadyAt = performance.now()
    const clockStep = (): number => Date.now() - startedAt - (performance.now() - steadyAt)
    const options = { address: keyAddress(signingKey.publicKey), path, startedAt }
    const castAt = async (height: number): Promise<number | undefined> => {
      // While blocks are replayed to the application, CometBFT does not answer yet: it had them before.
      const commit = await this.#rpc.commit(height).catch(() => undefined)
      const own = commit?.commit.signatures.find((one) => equalBytes(one.address, options.address))
      return own && Number(own.time.seconds) * 1_000 + Math.floor(own.time.nanos / 1_000_000)
    }
    return new OwnSignatures(options, { read: () => readSignState(path), castAt, clockStep })
  }

  #watchForks(): void {
    const { config, head } = this.#context
    const deadline = new ForkDeadline(defaultDeadlineOptions, {
      config,
      height: () => Number(head().header.number),
      rpc: this.#rpc,
      now: Date.now,
      onPassed: (reason) => this.#stopForGood(badConfig(reason)),
    })
    this.#resources.own('deadline of forks', () => deadline.close())
  }

  #watchGenesis(folder: string): GenesisWatch {
    // Operators give all nodes one list, with each node in its own.
    const own = nodeId(readKey(nodeKeyPath(folder)).publicKey)
    const peers = readEngineConfig(folder).persistentPeers ?? []
    const ids = peers.map((peer) => peer.replace(/^.*:\/\//, '').split('@', 1)[0] ?? '')
    const watch = new GenesisWatch(defaultGenesisOptions, {
      persistentPeers: ids.map((id) => id.toLowerCase()).filter((id) => id !== own),
      height: () => Number(this.#context.head().header.number),
      peerCount: () => this.network.peerCount(),
      onStranger: (text) => this.#context.log.warn(text),
      onForeign: (reason) => this.#stopForGood(badConfig(reason)),
    })
    this.#resources.own('watch of the genesis', () => watch.close())
    return watch
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

  #createHandler(chain: Chain, snapshots: SnapshotService): AbciHandler {
    const { config, blocks, head, retainedStates, retainedBlocks, minimumGasPrice, log } = this.#context
    const retainHeight = createRetainHeight(
      { retained: retainedBlocks ?? retainedStates },
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
        reward: this.#reward,
        onVotes: (votes) => this.#validatorWatch.onVotes(votes),
        onSnapshotRestored: this.#context.onJump,
        genesisHash: () => {
          const hash = blocks.blockHashAt(0)
          if (hash === undefined) throw new Error('the first block is missing')
          return hash
        },
        genesisValidators: () => this.#sets.afterBlock(0),
        snapshots,
        relay: this.#broadcaster,
        signatures: this.#openSignatures(),
        onForeignSignature: (reason) => this.#stopForGood(badConfig(reason)),
        onUnknownFork: (reason) => this.#stopForGood(badConfig(reason)),
        // A decided block cannot be rejected: the engine delivers it again at the next start.
        onLowSpace: (reason) => this.#stopForGood(badFile(`this node stops here: ${reason}`)),
        retainHeight: () => BigInt(retainHeight()),
        query: createQueryHandler(defaultQueryOptions, { chain, minimumGasPrice }, log),
      },
    )
  }

  /** Has the node stopped. Before the engine is ready, `start` rejects with the reason. */
  #stopForGood(error: ExitError): void {
    if (this.#isReady) this.#options.onFatal(error)
    else this.#refusal = error
  }

  #createServer(handler: AbciHandler): AbciServer {
    return new AbciServer({
      handler,
      log: this.#context.log,
      onCall: (call, milliseconds) => this.#callStats.record(call, milliseconds),
      onHandshake: () => this.#broadcaster.onEngineStart(),
    })
  }

  async #listen(server: AbciServer): Promise<SocketAddress> {
    const { connection } = this.#options
    const address = await server.listen(
      connection.kind === 'managed' ? { kind: 'unix', path: connection.socket } : connection.abci,
    )
    this.#resources.own('ABCI server', () => server.close())
    return address
  }

  /** Watches a CometBFT whose log this process does not see. */
  #watch(server: AbciServer): void {
    const monitor = new ConsensusMonitor(defaultMonitorOptions, {
      rpc: this.#rpc,
      isExecuting: () => server.isExecuting,
      now: () => performance.now(),
      log: this.#context.log,
    })
    this.#monitor = monitor
    this.#resources.own('monitor of CometBFT', () => monitor.close())
  }

  /** Starts CometBFT, or waits for one that the operator runs. */
  #connect(abci: SocketAddress): void {
    const { connection, onFatal } = this.#options
    const { log } = this.#context
    if (connection.kind === 'attached') {
      log.info({ abci: formatSocketAddress(abci) }, 'waiting for CometBFT')
      return
    }
    const { program, folder } = connection
    // Before it is ready, `start` reports the exit and its reason.
    const onExit = (error: ExitError): void => {
      if (this.#isReady) onFatal(error)
    }
    const onConflict = (reason: string): void => this.#stopForGood(badConfig(reason))
    const genesis = this.#watchGenesis(folder)
    const onMessage = (message: string, error: string, address: string): void => {
      this.#signer?.onMessage(message)
      genesis.onMessage(message, error, address)
    }
    const listeners = { onExit, onConflict, onMessage }
    const options = { program, folder, hasUnsafeRpc: this.#hasUnsafeRpc, abci, log, ...listeners }
    const interrupted = new InterruptedStart(folder, log)
    this.#resources.own('CometBFT', () => this.#process?.stop())
    this.#process = new EngineProcess(options)
    this.#onEarlyExit = (lastError) => {
      if (!interrupted.canStartAgain(lastError)) {
        const listens = readListenAddresses(folder)
        throw toStartError(lastError, { remoteSigner: this.#remoteSigner, listens })
      }
      this.#process = new EngineProcess(options)
    }
  }

  /** Sends the pool's transactions, present and future. */
  #broadcast(): void {
    const { pool } = this.#context
    const broadcaster = this.#broadcaster
    broadcaster.onEngineStart()
    const removers = [
      pool.events.on('pending', (transaction) => broadcaster.add(transaction)),
      pool.events.on('dropped', ({ transaction, reason }) =>
        broadcaster.forget(transaction.id, reason === 'included'),
      ),
    ]
    this.#resources.own('broadcaster', () => {
      for (const remove of removers) remove()
      broadcaster.close()
    })
  }

  /** Resolves when CometBFT has replayed its blocks to the application and serves its RPC. */
  async #waitUntilReady(): Promise<void> {
    const until = performance.now() + startMs + announceGenesisTime(this.#context)
    while (!this.#isStopping) {
      if (this.#refusal !== undefined) throw this.#refusal
      try {
        this.#validatorWatch.setAddress((await this.#rpc.status()).validatorAddress)
        this.#isReady = true
        return
      } catch (error) {
        if (this.#process?.isEnded) this.#onEarlyExit(await this.#process.lastError())
        if (performance.now() > until) throw error
      }
      await pause(pollMs)
    }
    throw new Error('the engine was stopped before it was ready')
  }
}

/** Returns how many milliseconds the engine sleeps until the genesis time, and logs it. */
const announceGenesisTime = ({ blocks, log }: Pick<EngineContext, 'blocks' | 'log'>): number => {
  const genesisMs = Number(blocks.header(0)?.timestamp ?? 0n) * 1000
  const waitMs = Math.max(0, genesisMs - Date.now())
  if (waitMs > 0)
    log.warn(
      { seconds: Math.ceil(waitMs / 1000) },
      `waiting for the genesis time ${new Date(genesisMs).toISOString()}: CometBFT does not start before it, and nothing is served`,
    )
  return waitMs
}

const describeConnection = (connection: CometConnection): EngineConfig =>
  connection.kind === 'managed'
    ? readEngineConfig(connection.folder)
    : {
        ...{ rpcUrl: connection.rpcUrl, hasUnsafeRpc: false },
        ...{ persistentPeers: undefined, remoteSigner: undefined, databaseFolder: undefined },
      }

const readValidators = ({ config }: EngineContext): readonly Validator[] => requireValidators(config.source)

/** Returns the validators that a genesis names; throws an ExitError where it names none. */
export const requireValidators = (config: JsonObject): readonly Validator[] => {
  const validators = parseValidatorConfig(config)?.validators
  if (validators !== undefined) return validators
  throw badFile('the genesis names no validators (config.perihelion.validators): CometBFT needs them')
}
