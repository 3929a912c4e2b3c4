import { type HomeHolder, homeHolder } from '../../base/lock/homeLock.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { checkClockOffset } from './clock.ts'
import { checkEngine, engineAddresses } from './engine.ts'
import type { Finding } from './finding.ts'
import { checkHome } from './home.ts'
import { checkMachine } from './machine.ts'
import { findPages } from './pages.ts'
import { type CheckedAddress, checkPorts, type PossibleAddress } from './ports.ts'
import { checkReplicas } from './replicas.ts'
import { checkRemote, checkUpstreams } from './upstreams.ts'

type Examined = Pick<LoadedConfig, 'config' | 'given'>

/** Looks at everything that a start with this configuration needs. Nothing is changed. */
export const examine = async (
  { config, given }: Examined,
  purpose: 'node' | 'gateway',
): Promise<readonly Finding[]> => {
  const holder = findHolder(config.home)
  const isRunning = holder !== undefined
  const ports = checkPorts(listenAddresses({ config, given }, purpose), isRunning)
  const behind =
    purpose === 'gateway'
      ? checkUpstreams(config)
      : Promise.all([checkEngine(config, isRunning), checkRemote(config)]).then((parts) => parts.flat())
  return [
    ...checkMachine(config),
    ...checkClockOffset(holder && (await pagesOf(holder))),
    ...(await ports),
    ...(await checkHome(config)),
    ...(await behind),
    ...(purpose === 'gateway' ? await checkReplicas(config, isRunning) : []),
  ]
}

const pagesOf = async ({ pid, isElsewhere }: HomeHolder) => (isElsewhere ? undefined : findPages(pid))

const findHolder = (home: string): HomeHolder | undefined => {
  try {
    return homeHolder(home)
  } catch {
    return undefined
  }
}

/** Returns where a start would listen, each address once. */
const listenAddresses = (
  { config, given }: Examined,
  purpose: 'node' | 'gateway',
): readonly CheckedAddress[] => {
  const { jsonRpc, engine, abciAddress } = config
  const found: PossibleAddress[] = []
  if (jsonRpc.enable)
    found.push(
      { setting: 'json-rpc.address', address: jsonRpc.address },
      { setting: 'json-rpc.ws-address', address: jsonRpc.wsAddress },
    )
  if (purpose === 'node' && engine === 'cometbft' && abciAddress === undefined)
    found.push(...engineAddresses(config, given))
  const seen = new Set<string>()
  return found.filter((entry): entry is CheckedAddress => {
    const key = JSON.stringify(entry.address)
    if (entry.address === undefined || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
