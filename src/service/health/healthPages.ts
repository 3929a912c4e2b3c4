import type { Registry } from 'prom-client'
import { processMetrics, renderMetrics } from '../../base/metrics.ts'
import { version } from '../../base/version.ts'
import type { Member } from '../../gateway/fleet/memberRows.ts'
import { jsonPage, type Page, Pages, sharedPage } from '../../rpc/transport/pages.ts'
import type { Finding } from '../chain/findings.ts'
import type { Readiness } from './readiness.ts'

export interface HealthPages {
  readonly '/health': Page
  readonly '/ready': Page
  readonly '/metrics': Page
}

/** Creates the pages that tell of a service that is open. */
export const createHealthPages = (
  readiness: Pick<Readiness, 'check'>,
  findProblem: () => string | undefined,
  findMembers: () => readonly Member[] | undefined,
  registry: Pick<Registry, 'contentType' | 'metrics'>,
): HealthPages => ({
  // The process lives, also while it cannot write: a restarted one would not write either.
  '/health': async () => {
    const problem = findProblem()
    const state = problem === undefined ? { status: 'ok', version } : { status: 'degraded', problem, version }
    const fleet = findMembers()?.map(toMemberRow)
    return jsonPage(200, fleet === undefined ? state : { ...state, fleet })
  },
  '/ready': async () => readyPage(await readiness.check()),
  '/metrics': sharedPage(async () => ({
    status: 200,
    type: registry.contentType,
    body: await renderMetrics(registry),
  })),
})

/** What everybody may know of a gateway of the fleet: what its trouble is may name hosts. */
const toMemberRow = ({ name, height, unseenSeconds, trouble }: Member) => ({
  name,
  height,
  unseenSeconds: Math.round(unseenSeconds),
  hasTrouble: trouble !== null,
})

const readyPage = (findings: readonly Finding[]) =>
  findings.length === 0
    ? jsonPage(200, { ready: true })
    : jsonPage(503, {
        ready: false,
        reasons: findings.map(({ reason }) => reason),
        problem: findings.map(({ problem }) => problem).join('; '),
      })

/** The pages of a service whose chain is being opened, which may take minutes. */
export const startingPages = (): Pages =>
  new Pages({
    '/health': async () => jsonPage(200, { status: 'starting', version }),
    '/ready': async () => readyPage([{ reason: 'starting', problem: 'the node is starting' }]),
    '/metrics': sharedPage(async () => {
      const registry = processMetrics()
      return {
        status: 200,
        type: registry.contentType,
        body: `${await registry.metrics()}\n${startingMetrics}`,
      }
    }),
  })

const startingMetrics = `# HELP perihelion_ready Whether the node can take requests, as /ready says: 1 or 0
# TYPE perihelion_ready gauge
perihelion_ready 0
# HELP perihelion_not_ready Whether a reason keeps the node from being ready, by the reason: 1 or 0
# TYPE perihelion_not_ready gauge
perihelion_not_ready{reason="starting"} 1
`
