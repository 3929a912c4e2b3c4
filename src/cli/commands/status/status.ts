import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { badUsage, ExitError, exitCodes } from '../../../base/exit.ts'
import { freeBytes } from '../../../base/files/fileSystem.ts'
import { describeHolder, homeHolder } from '../../../base/lock/homeLock.ts'
import { formatAddress } from '../../../config/kinds/addresses.ts'
import { showTarget } from '../../../follow/nodeClient.ts'
import { dataFile, gatewayCommand, isGatewayHome } from '../../../home/layout.ts'
import { findPages, readPages } from '../../../service/doctor/pages.ts'
import { configOf } from '../../flags/homeConfig.ts'
import { painter } from '../../output/paint.ts'
import { print, rendered, json as toJson } from '../../output/print.ts'
import { askNode, type NodeStatus } from './nodeStatus.ts'
import { type FullStatus, renderStatus } from './render.ts'

interface StatusFlags {
  readonly home?: string
  readonly url?: string
  readonly json?: boolean
}

/** Defines `perihelion status`, which asks a running node how it is doing. */
export const define = (command: Command): void => {
  command
    .option('--home <dir>', 'the home of a node on this computer (default: as for start)')
    .option('--url <url>', 'the address of a node, or the path of its socket, in place of a home')
    .option('--json', 'print JSON')
    .action(run)
}

const run = async ({ home, url, json = false }: StatusFlags): Promise<void> => {
  if (home !== undefined && url !== undefined) throw badUsage('give --url or --home, not both')
  const status = url === undefined ? await readHome(home) : await readUrl(url)
  if (json) print`${toJson(status, 2)}\n`
  else print`${rendered(renderStatus(status, Date.now() / 1000, painter(process.stdout)))}`
}

const readUrl = async (url: string): Promise<FullStatus> => {
  const node = await reach(url, `no node answers at ${showTarget(url)}`)
  const pages = /^https?:/i.test(url) ? await readPages(new URL(url).origin) : undefined
  return { ...node, ...pages, target: showTarget(url), home: undefined, pid: undefined, dataSize: undefined }
}

/** What a node of this program says that it is; in the dev profile, what tools ask for comes first. */
const ownVersion = /^(anvil-)?perihelion\//

const readHome = async (wanted: string | undefined): Promise<FullStatus> => {
  const config = configOf(wanted)
  const { home } = config
  const socket = config.ipcPath ?? join(home, 'perihelion.ipc')
  const holder = existsSync(home) ? homeHolder(home) : undefined
  // A chain that is deleted on exit has no home of its own, and is asked where a node listens.
  const { address } = config.jsonRpc
  if (holder === undefined && wanted === undefined && address !== undefined) {
    const found = await readUrl(`http://${formatAddress(address)}`).catch(() => undefined)
    // Nobody named that address: geth or anvil may listen there.
    if (found?.clientVersion !== undefined && ownVersion.test(found.clientVersion)) return found
  }
  const node = await reach(
    socket,
    holder === undefined
      ? `no node runs on ${home}: start it with \`${startCommand(home)}\`, or give --url`
      : `${describeHolder(holder)} runs on ${home} and does not answer at ${socket}: it starts or stops, is suspended (Ctrl-Z), or has another --ipc-path`,
  )
  const pid = holder?.isElsewhere ? undefined : holder?.pid
  const pages = pid === undefined ? undefined : await findPages(pid)
  const path = dataFile(home)
  return {
    diskFree: freeBytes(home),
    ...node,
    ...pages,
    target: socket,
    home,
    pid,
    dataSize: existsSync(path) ? statSync(path).size : undefined,
  }
}

const startCommand = (home: string): string =>
  isGatewayHome(home) ? gatewayCommand(home) : `perihelion start --home ${home}`

const unreachable = ['ENOENT', 'ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ECONNRESET', 'ENOTSOCK']

const reach = async (target: string, nobody: string): Promise<NodeStatus> => {
  try {
    return await askNode(target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const reason = code !== undefined && unreachable.includes(code) ? '' : ` (${(error as Error).message})`
    throw new ExitError(exitCodes.noUpstream, `${nobody}${reason}`)
  }
}
