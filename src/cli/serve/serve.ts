import { setTimeout } from 'node:timers/promises'
import { collectWithoutHelpers } from '../../base/bundles/collector.ts'
import type { ExitError } from '../../base/exit.ts'
import { createLogger, type RootLogger } from '../../base/logging/log.ts'
import { clientVersion } from '../../base/version.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { isDevProfile } from '../../config/rules/profile.ts'
import type { Config } from '../../config/settings/settings.ts'
import { type Cleanup, removeTemporaryFolders } from '../../service/home/homeFolder.ts'
import type { Loaded } from '../../service/settings/runningSettings.ts'
import {
  type OpenChain,
  type Service,
  type ServiceOptions,
  startService,
} from '../../service/start/startService.ts'
import { type ShownActivity, showActivity } from '../activity/show.ts'
import { createLogText } from '../output/logText.ts'
import { painter } from '../output/paint.ts'
import { print } from '../output/print.ts'
import { StatusLine } from '../output/statusLine.ts'
import { isTextMode, terminalColumns } from '../output/textMode.ts'
import { reloadOnSignal } from './reload.ts'
import { ReopeningService } from './reopening.ts'
import { createReloader, RunningRecord } from './runningRecord.ts'
import { stopOnSignal } from './shutdown.ts'
import { surviveUncaughtErrors } from './uncaughtErrors.ts'

/** What a command does in other ways than `perihelion start`. */
export interface ServeOptions {
  /** The sockets to open: all that are configured, or only those for network clients. */
  readonly listen?: 'all' | 'network'
  /** Called at the very end, when nothing uses the home any more. */
  readonly cleanup?: Cleanup | undefined
  /** Whether a start may remove history that the settings no longer keep. */
  readonly removesHistory?: boolean
  /** The secret of bearer tokens, if not that of the home. */
  readonly secret?: Uint8Array | undefined
  /** Tells whoever started this that it serves. */
  readonly announce?: (service: Service, log: RootLogger) => Promise<void>
  /** Called before the service is closed. */
  readonly beforeClose?: () => Promise<void>
  /** Where blocks and transactions of a dev chain are shown: by default on a terminal, or else in the log. */
  readonly activityOutput?: NodeJS.WriteStream
  /** Whether it is shown what contracts write with console.log; true if missing. */
  readonly showsConsole?: boolean
  /** How it answers in the place of another program. */
  readonly dialect?: ServiceOptions['dialect']
  /** Reads the settings again, on SIGHUP; undefined if the command takes none while it runs. */
  readonly reload?: () => Promise<Loaded>
}

/** Serves a chain with the settings of a home until a signal ends it. */
export const serveUntilStopped = async (
  {
    config,
    given,
    mode,
    sources,
  }: Pick<LoadedConfig, 'config' | 'given' | 'sources'> & Partial<Pick<LoadedConfig, 'mode'>>,
  open: OpenChain,
  {
    listen = 'all',
    cleanup,
    removesHistory,
    secret,
    announce = (service, log) => announceReady(service, log, config),
    beforeClose = async () => {},
    activityOutput,
    showsConsole = true,
    dialect,
    reload,
  }: ServeOptions = {},
): Promise<void> => {
  let isAnnounced = false
  const log = isTextMode(config)
    ? createLogger(
        config.log.level,
        createLogText(writeError, {
          paint: painter(process.stderr),
          isVerbose: isVerbose(config),
          isToGreet: () => !isAnnounced,
          setStatus: process.stderr.isTTY === true ? (text) => terminal.set(text) : undefined,
        }),
      )
    : createLogger(config.log.level)
  let isFatal = false
  const onFatal = ({ message: reason, exitCode }: ExitError): void => {
    // What follows from the first reason, such as an engine that ends with its application, is not told.
    if (isFatal) return
    isFatal = true
    log.fatal({ reason }, `stopping the node: ${reason}`)
    process.exitCode = exitCode
    process.kill(process.pid, 'SIGTERM')
  }
  const ownDialect =
    dialect ??
    (config.verbose && isDevProfile(config) && isTextMode(config) ? { onCall: showMethod } : undefined)
  let opened: Service | undefined
  let shown: ShownActivity | undefined
  let isStopping = false
  const show = (): void => {
    if (opened !== undefined && isAnnounced && !isStopping)
      shown = showActivity(opened, config, log, { write: writeError, output: activityOutput, showsConsole })
  }
  const isInteractive = process.stderr.isTTY === true
  const running = cleanup === undefined ? new RunningRecord({ config, sources }, log) : undefined
  const reloader = reload && createReloader(config, reload, { running, service: () => opened, log })
  const service = new ReopeningService(config, {
    start: (settings, callbacks) =>
      startService(
        { config: settings, open, listen, methods: [], cleanup, secret, dialect: ownDialect },
        { log, given, mode, removesHistory, ...callbacks, isInteractive },
      ),
    onFatal,
    onOpened: (started) => {
      opened = started
      // It was started with the settings of the beginning, whatever was read since.
      void reloader?.apply(started)
      show()
    },
    beforeReopening: async () => {
      const failed = opened
      opened = undefined
      await finishShowing(shown, failed)
    },
    now: () => performance.now(),
    log,
  })
  const starting = service.start()
  // From now on, so that a signal during the start leaves nothing behind either.
  const finish = async (): Promise<void> => {
    isStopping = true
    await finishShowing(shown, opened)
    await beforeClose()
    running?.remove()
  }
  stopOnSignal(() => closeStarted(starting, service, finish), log, removeTemporaryFolders)
  if (reloader !== undefined) reloadOnSignal(() => reloader.reload())
  // The terminal is gone: a chain in a folder of its own would stay there.
  else process.once('SIGHUP', () => process.kill(process.pid, 'SIGTERM'))
  const started = await starting
  collectWithoutHelpers()
  running?.write()
  // Not before: a start that fails is reported and ends.
  surviveUncaughtErrors(log, onFatal)
  try {
    await announce(started, log)
    isAnnounced = true
    show()
  } catch (error) {
    await service.close()
    throw error
  }
}

/** How long a stop waits for what is to be shown: a remote chain may hang, and a trace take long. */
const showTimeoutMs = 1_000

/** Ends what is shown of a service that is about to be closed. */
const finishShowing = async (
  shown: ShownActivity | undefined,
  service: Service | undefined,
): Promise<void> => {
  if (shown === undefined) return
  const finished = shown.finish()
  await Promise.race([finished, setTimeout(showTimeoutMs, undefined, { ref: false })])
  service?.served.stopCalls?.()
  await finished
}

/** What is written to people shares the terminal with a line of status. */
const terminal = new StatusLine(process.stderr)
const writeError = (text: string): void => terminal.write(text)

/** Shows a call as the other events are shown. */
const showMethod = (method: string): void =>
  writeError(`  ${painter(process.stderr)('dim', `call   ${method}`)}\n`)

const isVerbose = ({ log }: Config): boolean => ['trace', 'debug'].includes(log.level)

const announceReady = async (service: Service, log: RootLogger, config: Config): Promise<void> => {
  const isText = isTextMode(config)
  const { welcome } = service.served
  if (isText) {
    const { greetingFacts, renderGreeting } = await import('../output/greeting.ts')
    const style = { paint: painter(process.stderr), columns: terminalColumns() }
    writeError(renderGreeting(config, greetingFacts(service), style))
  } else {
    if (welcome !== undefined) writeError(welcome)
    log.info({ version: clientVersion, home: config.home }, 'started')
  }
  await waitUntilSynced(service)
  // A person at a terminal has read it in the greeting.
  if (!isText || process.stdout.isTTY !== true) print`${readyLine(service)}\n`
}

/** How long a start that a signal interrupts may still take. A chain of our own starts in less than a second. */
const startTimeoutMs = 5_000

/** Closes a service that may still be starting. What takes too long to start, such as a gateway, is not waited for. */
const closeStarted = async (
  starting: Promise<Service>,
  service: ReopeningService,
  beforeClose: () => Promise<void>,
): Promise<void> => {
  const started = await Promise.race([
    starting.catch(() => undefined),
    setTimeout(startTimeoutMs, undefined, { ref: false }),
  ])
  if (started === undefined) return
  await beforeClose()
  await service.close()
}

/** The maximum time that a chain that is not synced delays the ready line. */
const syncTimeoutMs = 10_000
const pollMs = 50

/** Waits until a short chain is synced; a long one is served while it syncs. */
const waitUntilSynced = async ({ served }: Service): Promise<void> => {
  const until = performance.now() + syncTimeoutMs
  while (!served.isReady() && performance.now() < until) await setTimeout(pollMs)
}

/** Returns the only line on stdout, for which programs that start this one wait. */
const readyLine = (service: Service): string => {
  const { chain, readyFields } = service.served
  const fields = {
    ...service.urls(),
    ...(service.metricsUrl === undefined ? {} : { metrics: service.metricsUrl }),
    chain: chain.config.chainId,
    height: chain.head().number,
    ...readyFields,
  }
  return ['perihelion ready', ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)].join(' ')
}
