import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatBytes } from '../../base/encoding/figures.ts'
import { freeBytes } from '../../base/files/fileSystem.ts'
import { describeUntriedNode, triedNodeMajors } from '../../base/nodeVersion.ts'
import { packageRoot } from '../../base/packageRoot.ts'
import type { Config } from '../../config/settings/settings.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Looks at what the machine offers: Node.js, open files, disk and clock. */
export const checkMachine = (config: Config): readonly Finding[] => [
  checkNode(),
  checkOpenFiles(config),
  checkDisk(config),
  checkClock(),
]

const checkNode = (): Finding => {
  const text = `Node.js ${process.versions.node} on ${process.platform}-${process.arch}`
  const wanted = wantedNode()
  if (!isAtLeast(process.versions.node, wanted))
    return problem('node', text, `install Node.js ${wanted} or newer`)
  const untried = describeUntriedNode()
  return untried === undefined
    ? ok('node', text)
    : warning('node', untried, `use Node.js ${triedNodeMajors.at(-1)} if something fails`)
}

/** Returns the oldest version of Node.js that package.json allows. */
const wantedNode = (): string => {
  const { engines } = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')) as {
    readonly engines: { readonly node: string }
  }
  return engines.node.replace(/^[^\d]*/, '')
}

/** Compares versions of numbers and dots; what the second one leaves out is 0. */
export const isAtLeast = (version: string, wanted: string): boolean => {
  const parts = version.split('.').map(Number)
  const least = wanted.split('.').map(Number)
  for (const [index, part] of parts.entries()) {
    const other = least[index] ?? 0
    if (part !== other) return part > other
  }
  return true
}

/** Files besides connections: the data, logs, threads, pipes. */
const ownFiles = 256

const checkOpenFiles = ({ jsonRpc }: Config): Finding => {
  const limit = openFileLimit()
  if (limit === undefined) return ok('open files', 'this system tells no limit')
  const wanted = jsonRpc.maxOpenConnections + ownFiles
  const text = `${limit === Number.POSITIVE_INFINITY ? 'no limit' : `at most ${limit}`}, ${wanted} with all connections of json-rpc.max-open-connections`
  return limit >= wanted
    ? ok('open files', text)
    : warning(
        'open files',
        text,
        `raise the limit (\`ulimit -n ${wanted}\`, LimitNOFILE= of systemd), or lower json-rpc.max-open-connections`,
      )
}

/** Returns the limit of this process, which Node.js has raised as far as it may. */
const openFileLimit = (): number | undefined => {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return undefined
  }
}

/** With less than so many times the reserve a node soon stops to write. */
const comfortableReserves = 4

const checkDisk = ({ home, minFreeSpace }: Config): Finding => {
  let folder = home
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  let free: number
  try {
    free = freeBytes(folder)
  } catch (error) {
    return problem('disk', `${folder}: ${(error as Error).message}`, 'choose another --home')
  }
  const text = `${formatBytes(free)} are free at ${folder}, min-free-space keeps ${formatBytes(minFreeSpace)}`
  const remedy = 'make room, or choose a --home on a larger disk'
  if (free < minFreeSpace) return problem('disk', text, remedy)
  return free < comfortableReserves * minFreeSpace ? warning('disk', text, remedy) : ok('disk', text)
}

/** Nothing of this program existed before. */
const firstDay = Date.UTC(2025, 0, 1)

const checkClock = (): Finding => {
  const now = new Date()
  const text = `${now.toISOString().slice(0, 19)}Z`
  return now.getTime() >= firstDay
    ? ok('clock', text)
    : problem(
        'clock',
        text,
        'set the clock (`timedatectl set-ntp true`): blocks carry its time, and tokens end by it',
      )
}
