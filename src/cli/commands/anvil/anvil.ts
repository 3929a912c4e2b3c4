import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { badFile } from '../../../base/exit.ts'
import { version } from '../../../base/version.ts'
import { loadConfig } from '../../../config/load.ts'
import type { Config } from '../../../config/settings/settings.ts'
import { deriveDevKeys } from '../../../service/genesis/devAccounts.ts'
import { makeTemporaryFolder } from '../../../service/home/homeFolder.ts'
import { createAnvilDialect } from '../../../service/rpc/anvilDialect.ts'
import { createProvider } from '../../../service/rpc/provider.ts'
import type { Provider } from '../../../service/rpc/providerTypes.ts'
import type { Service } from '../../../service/start/startService.ts'
import { print, printError, rendered } from '../../output/print.ts'
import { type AnvilFacts, renderBanner, renderConfig } from './banner.ts'
import { type AnvilFlags, anvilHelp, parseAnvilFlags } from './flags.ts'
import { toSettingFlags, toWordsOfAnvil } from './settings.ts'
import { runStartActions } from './startActions.ts'
import { dumpState, loadState, readStateFlags, type StateFiles } from './stateFile.ts'

/** Defines `perihelion anvil`: an ephemeral dev chain with the flags, banner and errors of anvil. */
export const define = (command: Command): void => {
  command
    .usage('[flags of anvil]')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', () => `\nFlags:\n${anvilHelp()}`)
    .action((_options: unknown, self: Command) => run(self.args))
}

const run = async (args: readonly string[]): Promise<void> => {
  if (args.includes('-V') || args.includes('--version')) {
    print`anvil Version: ${version}-perihelion\n`
    return
  }
  const flags = parseAnvilFlags(args)
  const files = readStateFlags(flags)
  const { path: home, remove } = makeTemporaryFolder()
  try {
    const loaded = loadConfig({ flags: toSettingFlags(flags, home, process.env), purpose: 'node' })
    const [{ serveUntilStopped }, { openNode }] = await Promise.all([
      import('../../serve/serve.ts'),
      import('../../../service/start/openNode.ts'),
    ])
    const dumps = new StateDumps(files)
    let served: Service | undefined
    await serveUntilStopped(loaded, openNode, {
      listen: 'network',
      cleanup: remove,
      announce: async (service) => {
        await announce(service, loaded.config, flags, dumps)
        served = service
      },
      dialect: createAnvilDialect((method) => {
        // Not what happens before the address is printed.
        const isShown = served?.served.chain.dev?.isLoggingEnabled === true && !flags.has('silent')
        if (isShown) print`${method}\n`
      }),
      beforeClose: () => dumps.finish(),
      activityOutput: process.stdout,
      showsConsole: !flags.has('disable-console-log'),
    })
  } catch (error) {
    remove()
    throw toWordsOfAnvil(error)
  }
}

/** Does what the flags ask for and prints anvil's banner. Whoever started this waits for the last line. */
const announce = async (
  service: Service,
  config: Config,
  flags: AnvilFlags,
  dumps: StateDumps,
): Promise<void> => {
  const provider = createProvider(service.connect)
  await runStartActions(flags, provider)
  // What flags set is what the chain was started with.
  service.served.chain.dev?.keepAsStart()
  await dumps.start(provider)
  const facts = factsOf(service, config, flags)
  const configOut = flags.get('config-out')
  if (configOut !== undefined) writeConfig(configOut, facts)
  if (flags.has('silent')) return
  const { http = '' } = service.urls()
  print`${rendered(renderBanner(facts))}Listening on ${new URL(http).host}\n`
}

const defaultGasPrice = 2_000_000_000n

const factsOf = ({ served }: Service, config: Config, flags: AnvilFlags): AnvilFacts => {
  const { chain } = served
  const { fork } = chain
  const genesis = chain.blocks.header(fork?.number ?? 0)
  return {
    keys: deriveDevKeys(config).accounts,
    balance: config.balance,
    mnemonic: config.mnemonic,
    derivationPath: config.derivationPath,
    chainId: chain.config.chainId,
    baseFee: genesis?.baseFeePerGas,
    gasPrice: BigInt(flags.get('gas-price') ?? defaultGasPrice),
    gasLimit: fork === undefined ? config.genesisGasLimit : (genesis?.gasLimit ?? 0n),
    timestamp: genesis?.timestamp ?? 0n,
    fork: fork && { url: fork.url, chainId: fork.chainId, number: fork.number, hash: fork.hash },
  }
}

const writeConfig = (path: string, facts: AnvilFacts): void => {
  try {
    writeFileSync(path, renderConfig(facts))
  } catch (error) {
    throw badFile(`--config-out: ${(error as Error).message}`)
  }
}

/** Loads the state at the start and dumps it while the node runs and at its end. */
class StateDumps {
  readonly #files: StateFiles
  #provider: Provider | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(files: StateFiles) {
    this.#files = files
  }

  async start(provider: Provider): Promise<void> {
    const { load, dump, intervalMs } = this.#files
    if (load !== undefined) await loadState(provider, load)
    if (dump === undefined) return
    // What cannot be dumped is reported now, and not when there is something to lose.
    await dumpState(provider, dump)
    this.#provider = provider
    this.#timer = setInterval(() => this.#dump(), intervalMs)
    this.#timer.unref()
  }

  /** Dumps the state for the last time. */
  async finish(): Promise<void> {
    clearInterval(this.#timer)
    this.#dump()
    await this.#running
  }

  #dump(): void {
    const { dump } = this.#files
    const provider = this.#provider
    if (dump === undefined || provider === undefined) return
    this.#running = this.#running
      .then(() => dumpState(provider, dump))
      .catch((error: Error) => printError`perihelion: ${error.message}\n`)
  }
}
