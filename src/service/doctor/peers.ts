import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { LoadedConfig } from '../../config/load.ts'
import { configPath } from '../../engine/cometbft/process/home.ts'
import { type EngineConfig, readEngineConfig } from '../../engine/cometbft/process/readConfig.ts'
import { EngineRpcClient } from '../../engine/cometbft/rpcClient.ts'
import { type Finding, ok, warning } from './finding.ts'

const timeoutMs = 3000
const maxPort = 65_535

/** Looks whether the persistent peers of a node can be reached, and, of a node that runs, whether they are who the ids say. */
export const checkPeers = async (
  { config, given }: Pick<LoadedConfig, 'config' | 'given'>,
  isRunning: boolean,
): Promise<readonly Finding[]> => {
  const folder = join(config.home, 'engine')
  if (config.engine !== 'cometbft' || config.abciAddress !== undefined) return []
  if (!existsSync(configPath({ folder }))) return []
  const engine = readIfValid(folder)
  if (engine === undefined) return []
  const { rpcUrl, persistentPeers = [] } = engine
  const peers = given.has('persistent-peers') ? config.persistentPeers : persistentPeers
  const connected = isRunning ? await connectedIds(rpcUrl) : undefined
  return Promise.all(peers.map((peer) => checkPeer(peer, connected)))
}

/** Another check tells what is wrong with an invalid file. */
const readIfValid = (folder: string): EngineConfig | undefined => {
  try {
    return readEngineConfig(folder)
  } catch {
    return undefined
  }
}

/** `connected`: the ids of the peers of a node that runs; undefined if they are not known. */
const checkPeer = async (peer: string, connected: ReadonlySet<string> | undefined): Promise<Finding> => {
  const [id = '', address = ''] = peer.replace(/^\w+:\/\//, '').split('@')
  if (connected?.has(id)) return ok('peer', `${peer} is connected`)
  if (!(await isReached(address)))
    return warning(
      'peer',
      `peer ${id} at ${address} does not answer`,
      'start that node, let this machine reach it, or correct persistent-peers',
    )
  if (connected === undefined) return ok('peer', `${address} answers; start this node to check its id`)
  return warning(
    'peer',
    `${address} answers, and the peer ${id} is not connected: the node there has another id, or rejects this one`,
    'compare the id with that of `perihelion network id` there, and correct persistent-peers',
  )
}

const connectedIds = async (rpcUrl: string): Promise<ReadonlySet<string> | undefined> => {
  const rpc = new EngineRpcClient(rpcUrl)
  try {
    return new Set((await rpc.peers()).map(({ id }) => id))
  } catch {
    return undefined
  } finally {
    rpc.close()
  }
}

const isReached = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? []
    // `connect` throws for it.
    if (Number(port) > maxPort) return resolve(false)
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port: Number(port), timeout: timeoutMs })
    const end = (isThere: boolean): void => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
