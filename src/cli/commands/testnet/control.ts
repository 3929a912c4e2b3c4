import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { badFile, ExitError, exitCodes } from '../../../base/exit.ts'
import { homeHolder } from '../../../base/lock/homeLock.ts'
import { formatAddress } from '../../../config/kinds/addresses.ts'
import { loadConfig } from '../../../config/load.ts'
import { existingHomes } from '../../../service/testnet/homes.ts'
import { print, json as toJson } from '../../output/print.ts'
import { askNode, type NodeStatus } from '../status/nodeStatus.ts'
import { runningNetwork, stopNetwork } from './detached.ts'

interface FolderFlags {
  readonly home: string
  readonly json?: boolean
}

/** Defines `perihelion testnet stop` and `perihelion testnet status`. */
export const defineControl = (command: Command, defaultFolder: string): void => {
  command
    .command('stop')
    .description('Stop the network of a folder')
    .option('--home <dir>', 'the folder of the network', defaultFolder)
    .action(async (_: FolderFlags, self: Command) => {
      const folder = existingFolder(self)
      const wasRunning = await stopNetwork(folder)
      print`${wasRunning ? 'stopped' : 'no network runs in'} ${folder}\n`
    })
  command
    .command('status')
    .description('Show the nodes of the network of a folder')
    .option('--home <dir>', 'the folder of the network', defaultFolder)
    .option('--json', 'print JSON')
    .action(showStatus)
}

/** Returns the folder; --home may stand before or after the name of the subcommand. */
const existingFolder = (self: Command): string => {
  const isAfter = self.getOptionValueSource('home') === 'cli'
  const { home } = (isAfter ? self : (self.parent ?? self)).opts<FolderFlags>()
  const folder = resolve(home)
  if (existingHomes(folder).length === 0)
    throw badFile(`${folder} has no network: perihelion testnet --home ${folder} makes one`)
  return folder
}

const showStatus = async ({ json = false }: FolderFlags, self: Command): Promise<void> => {
  const folder = existingFolder(self)
  const pid = runningNetwork(folder)
  const nodes = await Promise.all(existingHomes(folder).map(readNode))
  if (json) print`${toJson({ folder, pid: pid ?? null, nodes }, 2)}\n`
  else for (const node of nodes) print`${renderNode(node)}\n`
  if (pid === undefined) throw new ExitError(exitCodes.noUpstream, describeNoNetwork(folder))
}

/** Nodes that were started one by one have no process that runs all of them. */
const describeNoNetwork = (folder: string): string => {
  const homes = existingHomes(folder)
  const running = homes.filter((home) => homeHolder(home) !== undefined).length
  return running === 0
    ? `no network runs in ${folder}: start it with \`perihelion testnet --home ${folder}\``
    : `${running} of the ${homes.length} nodes of ${folder} run by themselves, started with \`perihelion start\`: \`perihelion testnet\` does not run them`
}

interface NodeRow {
  readonly node: number
  readonly home: string
  readonly http: string | undefined
  /** Null while the node does not answer. */
  readonly status: Pick<NodeStatus, 'height' | 'peers'> | null
}

const readNode = async (home: string, node: number): Promise<NodeRow> => {
  const { config } = loadConfig({ flags: [`--home=${home}`] })
  const { address } = config.jsonRpc
  const http = address && `http://${formatAddress(address)}`
  try {
    const { height, peers } = await askNode(config.ipcPath ?? join(home, 'perihelion.ipc'))
    return { node, home, http, status: { height, peers } }
  } catch {
    return { node, home, http, status: null }
  }
}

const renderNode = ({ node, home, http, status }: NodeRow): string => {
  const state = status === null ? 'down' : `height=${status.height} peers=${status.peers}`
  return `testnet node=${node} ${state} http=${http} home=${home}`
}
