import { setTimeout } from 'node:timers/promises'
import { lockHome } from '../base/homeLock.ts'
import { createLogger, type RootLogger } from '../base/log.ts'
import { clientVersion } from '../base/version.ts'
import type { Config } from '../config/settings.ts'
import { ensureHome } from '../service/home.ts'
import type { RunningChain } from '../service/runningChain.ts'
import { createService, type Doors, prepareDoors, type Service } from '../service/service.ts'
import { stopOnSignal } from './shutdown.ts'

/** Serves a chain with the settings of a home until a signal ends it. */
export const serveUntilStopped = async (
  config: Config,
  open: (config: Config, log: RootLogger) => Promise<RunningChain>,
): Promise<void> => {
  ensureHome(config.home)
  const unlock = lockHome(config.home)
  const log = createLogger(config.log.level)
  try {
    const doors = prepareDoors(config)
    const running = await open(config, log)
    const service = await serve(config, log, running, doors)
    stopOnSignal(async () => {
      await service.close()
      await running.close()
      unlock()
    }, log)
    log.info({ version: clientVersion, home: config.home }, 'started')
    await catchUp(running)
    process.stdout.write(`${readyLine(service, running)}\n`)
  } catch (error) {
    unlock()
    throw error
  }
}

/** Opens the doors; where that fails the chain is closed again, so that the process can end. */
const serve = async (
  config: Config,
  log: RootLogger,
  running: RunningChain,
  doors: Doors,
): Promise<Service> => {
  try {
    const service = createService(config, log, running, doors)
    await service.start()
    return service
  } catch (error) {
    await running.close()
    throw error
  }
}

/** How long a chain that is behind may keep the ready line back. */
const catchUpMs = 10_000
const lookMs = 50

/** Who waits for the ready line of a short chain gets all of it; a long one is told of while it is caught up with. */
const catchUp = async ({ isReady }: RunningChain): Promise<void> => {
  const until = performance.now() + catchUpMs
  while (!isReady() && performance.now() < until) await setTimeout(lookMs)
}

/** The one line on stdout, which programs that start us wait for. */
const readyLine = ({ urls }: Service, { chain, facts: engine }: RunningChain): string => {
  const facts = { ...urls(), chain: chain.config.chainId, height: chain.head().number, ...engine }
  return ['perihelion ready', ...Object.entries(facts).map(([name, value]) => `${name}=${value}`)].join(' ')
}
