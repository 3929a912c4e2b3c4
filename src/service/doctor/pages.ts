import { portsOf } from './sockets.ts'

const timeoutMs = 3000

/** A gateway of a fleet. */
export interface FleetMember {
  readonly name: string
  readonly height: number
  /** For how long it has not written that it is there. */
  readonly unseenSeconds: number
  readonly hasTrouble: boolean
}

/** What is read from the pages that a node serves beside JSON-RPC. */
export interface PageStatus {
  readonly upstreams: readonly { readonly node: string; readonly isReady: boolean }[]
  /** The gateways that share a database with this one, itself among them. */
  readonly members: readonly FleetMember[]
  /** Bytes of memory of the process. */
  readonly memory: number | undefined
  readonly diskFree: number | undefined
  /** Seconds by which its clock is ahead of the validators'. */
  readonly clockOffset: number | undefined
  /** Why the node is not ready, or what else must be fixed; undefined if nothing is known. */
  readonly problem: string | undefined
}

/** Reads /metrics, /ready and /health of a node; undefined where it does not serve them. */
export const readPages = async (origin: string): Promise<PageStatus | undefined> => {
  const metrics = await fetchText(`${origin}/metrics`)
  if (metrics === undefined || !metrics.includes('perihelion_')) return undefined
  // It is 503 with the reasons, and 200 without.
  const ready = await fetchText(`${origin}/ready`, [200, 503])
  return {
    upstreams: samples(metrics, 'perihelion_gateway_upstream_ready').map(({ labels, value }) => ({
      node: /node="([^"]*)"/.exec(labels)?.[1] ?? '',
      isReady: value === 1,
    })),
    members: membersOf(metrics),
    memory: samples(metrics, 'perihelion_process_resident_memory_bytes')[0]?.value,
    diskFree: samples(metrics, 'perihelion_disk_free_bytes')[0]?.value,
    clockOffset: samples(metrics, 'perihelion_clock_offset_seconds')[0]?.value,
    problem: problemOf(ready) ?? problemOf(await fetchText(`${origin}/health`)),
  }
}

const membersOf = (metrics: string): readonly FleetMember[] => {
  const prefix = 'perihelion_gateway_member'
  const heights = new Map(samples(metrics, `${prefix}_height`).map(({ labels, value }) => [labels, value]))
  const troubles = new Map(
    samples(metrics, `${prefix}_has_trouble`).map(({ labels, value }) => [labels, value]),
  )
  return samples(metrics, `${prefix}_unseen_seconds`).map(({ labels, value }) => ({
    name: /\bname="([^"]*)"/.exec(labels)?.[1] ?? '',
    height: heights.get(labels) ?? 0,
    unseenSeconds: value,
    hasTrouble: troubles.get(labels) === 1,
  }))
}

/** Asks each port on which a node listens for its pages: the settings may say another one than it was started with. */
export const findPages = async (pid: number): Promise<PageStatus | undefined> => {
  for (const port of new Set(portsOf(pid))) {
    const pages = await readPages(`http://127.0.0.1:${port}`)
    if (pages !== undefined) return pages
  }
  return undefined
}

const fetchText = async (url: string, statuses: readonly number[] = [200]): Promise<string | undefined> => {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    return statuses.includes(reply.status) ? await reply.text() : undefined
  } catch {
    return undefined
  }
}

/** Returns the values of a metric in the text format of Prometheus. */
const samples = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)$`, 'gm'))].map(
    ([, labels = '', value]) => ({
      labels,
      value: Number(value),
    }),
  )

const problemOf = (page: string | undefined): string | undefined => {
  try {
    return (JSON.parse(page ?? '{}') as { readonly problem?: string }).problem
  } catch {
    return undefined
  }
}
