import { type HomeHolder, homeHolder } from '../../base/lock/homeLock.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'
import { findDangers } from '../access/dangers.ts'
import { engineAddresses } from '../start/engineAddresses.ts'
import { homeChecks, nodeChecks } from '../start/startChecks.ts'
import { checkClockOffset } from './clock.ts'
import { checkDatabase } from './database.ts'
import { checkEngine } from './engine.ts'
import { type Finding, warning } from './finding.ts'
import { checkHome } from './home.ts'
import { checkMachine } from './machine.ts'
import { findPages } from './pages.ts'
import { checkPeers } from './peers.ts'
import { type CheckedAddress, checkPorts, type PossibleAddress } from './ports.ts'
import { runStartChecks } from './startChecks.ts'
import { checkRemote, checkUpstreams } from './upstreams.ts'

type Examined = Pick<LoadedConfig, 'config' | 'given' | 'mode'> & {
  /** Whether the start may remove history. */
  readonly removesHistory?: boolean
}

/** Looks at everything that a start with this configuration needs. Nothing is changed. */
export const examine = async (
  { config, given, mode, removesHistory }: Examined,
  purpose: 'node' | 'gateway',
): Promise<readonly Finding[]> => {
  const holder = findHolder(config.home)
  const isRunning = holder !== undefined
  const ports = checkPorts(listenAddresses({ config, given }, purpose), holder)
  const checks = purpose === 'node' ? [...homeChecks, ...nodeChecks] : homeChecks
  const behind =
    purpose === 'gateway'
      ? checkUpstreams(config)
      : Promise.all([
          checkEngine(config, isRunning),
          checkPeers({ config, given }, isRunning),
          checkRemote(config),
        ]).then((parts) => parts.flat())
  const ofStart = await runStartChecks(checks, { config, given, mode, isRunning, removesHistory })
  const isUnusable = ofStart.some(({ check }) => check === 'home')
  return [
    ...checkMachine(config),
    ...checkClockOffset(holder && (await pagesOf(holder))),
    ...(await ports),
    // A home that no start takes is reported once.
    ...(isUnusable ? [] : await checkHome(config)),
    ...(await checkDangers(config)),
    ...ofStart,
    ...(await behind),
    ...(purpose === 'gateway' ? await checkDatabase(config) : []),
  ]
}

const checkDangers = async (config: Config): Promise<readonly Finding[]> => {
  const { prepareAccess } = await import('../access/servedMethods.ts')
  const { namespaces } = prepareAccess(config, [])
  return findDangers(config, namespaces).map(({ text, remedy }) => warning('exposed', text, remedy))
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
  { config, given }: Omit<Examined, 'mode'>,
  purpose: 'node' | 'gateway',
): readonly CheckedAddress[] => {
  const { jsonRpc, engine, abciAddress, metricsAddress } = config
  const found: PossibleAddress[] = [{ setting: 'metrics-address', address: metricsAddress }]
  if (jsonRpc.enable)
    found.push(
      { setting: 'json-rpc.address', address: jsonRpc.address },
      { setting: 'json-rpc.ws-address', address: jsonRpc.wsAddress },
    )
  if (purpose === 'node' && engine === 'cometbft' && abciAddress === undefined)
    found.push(...engineAddresses(config, given))
  if (purpose === 'node' && engine === 'cometbft' && abciAddress?.kind === 'tcp')
    found.push({ setting: 'abci-address', address: abciAddress })
  const seen = new Set<string>()
  return found.filter((entry): entry is CheckedAddress => {
    const key = JSON.stringify(entry.address)
    if (entry.address === undefined || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
