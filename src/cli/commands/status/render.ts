import { formatBytes, formatSpan } from '../../../base/encoding/figures.ts'
import { printable } from '../../../base/encoding/printable.ts'
import { isClockOff } from '../../../service/doctor/clock.ts'
import type { FleetMember, PageStatus } from '../../../service/doctor/pages.ts'
import type { Paint } from '../../output/paint.ts'
import type { NodeStatus } from './nodeStatus.ts'

const labelWidth = 11

/** `isBad`: it is shown in red. */
type Row = readonly [label: string, text: string | undefined, isBad?: boolean]

/** The status of a node with what its machine tells, if it is this one. */
export interface FullStatus extends NodeStatus, Partial<PageStatus> {
  readonly target: string
  readonly home: string | undefined
  readonly pid: number | undefined
  /** Bytes of the data file. */
  readonly dataSize: number | undefined
}

/** Returns the status in lines for people; `now` is in seconds since 1970. */
export const renderStatus = (status: FullStatus, now: number, paint: Paint): string => {
  const rows: readonly Row[] = [
    ['node', describeNode(status)],
    ['chain', describeChain(status)],
    ['height', describeHeight(status, now)],
    ['peers', status.peers === undefined ? undefined : String(status.peers)],
    ...(status.upstreams ?? []).map(
      ({ node, isReady }): Row => ['upstream', `${node} ${isReady ? 'ready' : 'not ready'}`, !isReady],
    ),
    ...(status.members ?? []).map(showMember),
    ['pool', status.pool && `${status.pool.pending} pending, ${status.pool.queued} queued`],
    ['memory', status.memory === undefined ? undefined : formatBytes(status.memory)],
    ['disk', describeDisk(status)],
    ['versions', describeVersions(status)],
    ['clock', describeClock(status)],
    ...[status.problem, ...status.forkProblems].map((text): Row => ['problem', text, true]),
  ]
  return rows
    .map(([label, text, isBad = false]) => {
      if (text === undefined) return ''
      const shown = printable(text)
      return `${paint('dim', label.padEnd(labelWidth))} ${isBad ? paint('red', shown) : shown}\n`
    })
    .join('')
}

/** Longer than a gateway of a fleet waits before it writes again that it is there. */
const isUnseenSeconds = 10

const showMember = ({ name, height, unseenSeconds, hasTrouble }: FleetMember): Row => {
  const isUnseen = unseenSeconds > isUnseenSeconds
  const parts = [`${name} at height ${height}`]
  if (isUnseen) parts.push(`not seen for ${formatSpan(Math.ceil(unseenSeconds))}`)
  if (hasTrouble) parts.push('has a problem: ask it')
  return ['fleet', parts.join(', '), isUnseen || hasTrouble]
}

const describeNode = ({ target, home, pid }: FullStatus): string =>
  home === undefined ? target : `${home}${pid === undefined ? '' : ` (process ${pid})`}`

const describeChain = ({ chainId, mode, fork, forksAhead }: FullStatus): string => {
  const parts = [`chain id ${chainId ?? 'not known'}`]
  if (mode !== undefined) parts.push(mode)
  if (fork !== undefined) parts.push(`rules of ${fork}`)
  if (forksAhead.length > 0) parts.push(`ahead: ${forksAhead.join(', ')}`)
  return parts.join(', ')
}

const describeHeight = ({ height, time, lag }: FullStatus, now: number): string => {
  const age = time === undefined ? '' : `, ${formatSpan(Math.max(0, Math.round(now - time)))} old`
  const behind = lag === undefined ? '' : lag === 0 ? ', in step' : `, ${lag} blocks behind`
  return `${height ?? 'not known'}${age}${behind}`
}

const describeClock = ({ clockOffset = 0 }: FullStatus): string | undefined =>
  isClockOff(clockOffset)
    ? `${formatSpan(Math.round(Math.abs(clockOffset)))} ${clockOffset > 0 ? 'ahead of' : 'behind'} the validators' clocks: set it by NTP`
    : undefined

const describeDisk = ({ dataSize, diskFree }: FullStatus): string | undefined => {
  const parts = [
    ...(dataSize === undefined ? [] : [`${formatBytes(dataSize)} of data`]),
    ...(diskFree === undefined ? [] : [`${formatBytes(diskFree)} free`]),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

const describeVersions = ({ versions, clientVersion }: FullStatus): string | undefined =>
  versions === undefined
    ? clientVersion
    : Object.entries(versions)
        .filter(([, version]) => version !== null)
        .map(([name, version]) => `${name === 'engine' ? 'cometbft' : name} ${version}`)
        .join(', ')
