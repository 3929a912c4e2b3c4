import { setTimeout } from 'node:timers/promises'
import { exitCodes } from '../base/exit.ts'
import { createLogger } from '../base/log.ts'
import { clientVersion } from '../base/version.ts'
import type { LoadedConfig } from '../config/load.ts'
import { type OpenChain, type Service, startService } from '../service/startService.ts'
import { stopOnSignal } from './shutdown.ts'

/** Serves a chain with the settings of a home until a signal ends it. */
export const serveUntilStopped = async (
  { config, given }: Pick<LoadedConfig, 'config' | 'given'>,
  open: OpenChain,
): Promise<void> => {
  const log = createLogger(config.log.level)
  const onFatal = (reason: string): void => {
    log.fatal({ reason }, 'the engine is gone: this node ends')
    process.exitCode = exitCodes.internal
    process.kill(process.pid, 'SIGTERM')
  }
  const isInteractive = process.stderr.isTTY === true
  const service = await startService(
    { config, open, listen: 'all', methods: [] },
    { log, given, onFatal, isInteractive },
  )
  stopOnSignal(() => service.close(), log)
  const { welcome } = service.served
  if (welcome !== undefined) process.stderr.write(welcome)
  log.info({ version: clientVersion, home: config.home }, 'started')
  await catchUp(service)
  process.stdout.write(`${readyLine(service)}\n`)
}

/** How long a chain that is behind may keep the ready line back. */
const catchUpMs = 10_000
const pollMs = 50

/** Waits for a short chain to be complete; a long one is served while it is caught up with. */
const catchUp = async ({ served }: Service): Promise<void> => {
  const until = performance.now() + catchUpMs
  while (!served.isReady() && performance.now() < until) await setTimeout(pollMs)
}

/** The one line on stdout, which programs that start us wait for. */
const readyLine = (service: Service): string => {
  const { chain, facts } = service.served
  const fields = { ...service.urls(), chain: chain.config.chainId, height: chain.head().number, ...facts }
  return ['perihelion ready', ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)].join(' ')
}
