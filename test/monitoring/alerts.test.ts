import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerEngineMetrics } from '../../src/engine/metrics.ts'
import { registerGatewayMetrics } from '../../src/gateway/metrics.ts'
import { startTestNode, type TestNode } from '../support/node.ts'
import { firing, readAlerts, scrapeOf } from '../support/prometheus/alerts.ts'
import { evaluate, metricsOf } from '../support/prometheus/promql.ts'

/** Sets series of the text of a scrape; one that is not there fails, so that no alert is on a name or label that nobody has. */
const change = (text: string, values: Readonly<Record<string, number>>): string =>
  Object.entries(values).reduce((changed, [series, value]) => {
    const lines = changed.split('\n')
    const at = lines.findIndex((line) => line.startsWith(`${series} `))
    if (at < 0) throw new Error(`there is no series ${series}`)
    lines[at] = `${series} ${value}`
    return lines.join('\n')
  }, text)

/** What CometBFT shows of itself (`engine-metrics`), as far as alerts use it. */
const ofCometbft = `cometbft_consensus_missing_validators{chain_id="perihelion-31337"} 0
cometbft_consensus_byzantine_validators{chain_id="perihelion-31337"} 0
`

/** What is wrong, by the alert that tells of it. */
const faults: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  PerihelionNotReady: { perihelion_ready: 0 },
  PerihelionBehind: { 'perihelion_not_ready{reason="behind"}': 1 },
  PerihelionHalted: { 'perihelion_not_ready{reason="halted"}': 1 },
  PerihelionEngineGone: { 'perihelion_not_ready{reason="engine"}': 1 },
  PerihelionStoreFailed: { 'perihelion_not_ready{reason="store"}': 1 },
  PerihelionNoPeers: { perihelion_peers: 0 },
  PerihelionClockOff: { perihelion_clock_offset_seconds: -60 },
  PerihelionDiskLow: { perihelion_disk_low: 1 },
  PerihelionDiskFilling: { perihelion_disk_free_bytes: 3, perihelion_disk_needed_bytes: 1 },
  PerihelionMissesBlocks: { perihelion_validator_missed_blocks_total: 6 },
  PerihelionSignsNothing: {
    perihelion_validator_power: 10,
    perihelion_sign_state_height: 100,
    perihelion_head_number: 121,
  },
  CometbftValidatorsMissing: { 'cometbft_consensus_missing_validators{chain_id="perihelion-31337"}': 1 },
  CometbftSignedTwice: { 'cometbft_consensus_byzantine_validators{chain_id="perihelion-31337"}': 1 },
  PerihelionInternalErrors: { 'perihelion_rpc_internal_errors_total{stage="call"}': 1 },
  PerihelionUncaughtErrors: { perihelion_uncaught_errors_total: 1 },
  PerihelionRelayStuck: { 'perihelion_relay_transactions{state="retried"}': 1 },
  PerihelionMemoryShort: {
    'perihelion_rpc_memory_bytes{what="used"}': 80,
    'perihelion_rpc_memory_bytes{what="limit"}': 100,
  },
  PerihelionCallsRefused: { 'perihelion_rpc_class_calls_total{class="evm",outcome="refused"}': 1 },
  PerihelionSlow: { 'perihelion_event_loop_delay_seconds{quantile="0.99"}': 0.6 },
  PerihelionUpstreamLost: { 'perihelion_gateway_upstream_ready{node="http://node:26657"}': 0 },
  PerihelionBlockUntaken: { perihelion_gateway_untaken_block: 77 },
  PerihelionNodeLied: { 'perihelion_gateway_lies_total{kind="bad signature"}': 1 },
  PerihelionGatewayBehind: { 'perihelion_gateway_height{of="chain"}': 26 },
  PerihelionUpstreamLags: { 'perihelion_gateway_upstream_height{node="http://late:26657"}': 500 },
  PerihelionUpstreamLied: { 'perihelion_gateway_upstream_quarantines_total{node="http://node:26657"}': 1 },
  PerihelionUpstreamQuarantined: {
    'perihelion_gateway_upstream_passed_over{node="http://node:26657",why="quarantine"}': 1,
  },
  PerihelionUpstreamLimits: {
    'perihelion_gateway_upstream_passed_over{node="http://node:26657",why="rate limit"}': 1,
  },
  PerihelionDatabaseAway: { perihelion_gateway_database_away_seconds: 11 },
  PerihelionMemberLost: { 'perihelion_gateway_member_unseen_seconds{member="a1",name="host"}': 31 },
}

describe('the alerts of deploy/prometheus', () => {
  let node: TestNode
  /** What a node with all of its parts shows while nothing is wrong. */
  let healthy: string
  beforeAll(async () => {
    node = await startTestNode()
    const text = await (await fetch(`${node.http}/metrics`)).text()
    // The parts that this node does not have, by the code that shows them.
    const registry = new Registry()
    registerEngineMetrics(
      registry,
      () => ({
        calls: new Map(),
        relay: { waiting: 0, held: 0, retried: 0, failures: 0 },
        failure: undefined,
        validator: { power: 10, signed: 5, missed: 0, signHeight: 5 },
      }),
      () => ({ used: 0, dropped: 0 }),
    )
    registerGatewayMetrics(registry, () => ({
      ...{
        head: 5,
        highest: 5,
        untakenBlock: 0,
        cachedResponses: 0,
        joinedCalls: 0,
        hedgedCalls: 0,
        undecodedTransactions: 0,
        lies: new Map(),
      },
      fleet: {
        databaseAwaySeconds: 0,
        members: [{ id: 'a1', name: 'host', version: '1', height: 5, trouble: null, unseenSeconds: 0 }],
      },
      upstreams: ['http://node:26657', 'http://late:26657'].map(
        (name) =>
          ({
            node: name,
            state: 'ready',
            latestHeight: 1_000,
            isLimited: false,
            calls: 1,
            failures: 0,
            quarantines: 0,
          }) as never,
      ),
    }))
    healthy = change(`${text}\n${await registry.metrics()}\n${ofCometbft}`, {
      perihelion_peers: 3,
      'perihelion_event_loop_delay_seconds{quantile="0.99"}': 0.01,
      perihelion_uncaught_errors_total: 0,
    })
  })
  afterAll(() => node?.close())

  const afterChange = (values: Readonly<Record<string, number>>): readonly string[] =>
    firing([scrapeOf(healthy, 1000), scrapeOf(change(healthy, values), 1060)])

  test('none fires while nothing is wrong', () => {
    expect(afterChange({})).toEqual([])
  })

  test('every one of them is tried here', () => {
    const tried = [...Object.keys(faults), 'PerihelionDown', 'PerihelionLags', 'PerihelionForkUnknown']
    expect(tried.sort()).toEqual(
      readAlerts()
        .map(({ alert }) => alert)
        .sort(),
    )
  })

  test.each(Object.entries(faults))('%s fires', (alert, values) => {
    expect(afterChange(values)).toContain(alert)
  })

  test('one that compares nodes names the one that is behind', () => {
    const { expr = '' } = readAlerts().find(({ alert }) => alert === 'PerihelionLags') ?? {}
    const nodes = [90, 100, 121].map((height, index) =>
      scrapeOf(change(healthy, { perihelion_head_number: height }), 1000, `node${index}`),
    )
    const fired = evaluate(expr, [{ at: 1000, samples: nodes.flatMap(({ samples }) => samples) }])
    expect(fired.map(({ labels }) => labels.instance)).toEqual(['node0', 'node1'])
  })

  test('nodes of several chains are compared with those of their own', () => {
    const { expr = '' } = readAlerts().find(({ alert }) => alert === 'PerihelionLags') ?? {}
    const samples = [
      ['one', 500_000],
      ['one', 499_000],
      ['two', 90],
      ['two', 91],
    ].flatMap(([chain, height], index) =>
      scrapeOf(change(healthy, { perihelion_head_number: Number(height) }), 1000, `node${index}`).samples.map(
        (sample) => ({ ...sample, labels: { ...sample.labels, chain: String(chain) } }),
      ),
    )
    const fired = evaluate(expr, [{ at: 1000, samples }])
    expect(fired.map(({ labels }) => labels.instance)).toEqual(['node1'])
    const upstreams = readAlerts().find(({ alert }) => alert === 'PerihelionUpstreamLags')?.expr ?? ''
    const late = change(healthy, {
      'perihelion_gateway_upstream_height{node="http://node:26657"}': 7,
      'perihelion_gateway_upstream_height{node="http://late:26657"}': 6,
    })
    const gateways = [scrapeOf(healthy, 1000, 'one'), scrapeOf(late, 1000, 'two')]
    const both = [{ at: 1000, samples: gateways.flatMap((gateway) => gateway.samples) }]
    expect(evaluate(upstreams, both)).toEqual([])
  })

  test('PerihelionForkUnknown fires when a fork is scheduled that this version does not know', () => {
    const fork = 'perihelion_fork_time_seconds{fork="later",known="0"} 1900000000'
    expect(firing([scrapeOf(`${healthy}\n${fork}\n`, 1000)])).toContain('PerihelionForkUnknown')
    expect(firing([scrapeOf(`${healthy}\n${fork.replace('"0"', '"1"')}\n`, 1000)])).toEqual([])
  })

  test('PerihelionDown fires when nothing answers', () => {
    const labels = { job: 'perihelion', instance: 'node1' }
    expect(firing([{ at: 1000, samples: [{ name: 'up', labels, value: 0 }] }])).toEqual(['PerihelionDown'])
  })

  test('each is in docs/monitoring.md with its expression and what to do, and so is each metric that they use', () => {
    const page = readFileSync(new URL('../../docs/monitoring.md', import.meta.url), 'utf8')
    for (const { alert, expr } of readAlerts()) {
      const row = page.split('\n').find((line) => line.startsWith(`| \`${alert}\` |`)) ?? ''
      expect(row, alert).toContain(`\`${expr.replaceAll('|', '\\|')}\``)
      expect(row.split(/(?<!\\)\|/), alert).toHaveLength(6)
      for (const metric of metricsOf(expr)) expect(page).toContain(metric)
    }
  })
})

describe('the evaluator of these tests', () => {
  const scrapes = [
    scrapeOf('a{x="1"} 1\na{x="2"} 5\nb 2\nc_total 3\n', 0),
    scrapeOf('a{x="1"} 1\na{x="2"} 5\nb 2\nc_total 9\nd_total 1\n', 60),
  ]
  const valuesOf = (text: string) => evaluate(text, scrapes).map(({ value }) => value)

  test('matches as Prometheus does', () => {
    expect(valuesOf('a > 2')).toEqual([5])
    // Labels that only one side has match nothing.
    expect(valuesOf('max(a) - a')).toEqual([])
    expect(valuesOf('a > b')).toEqual([])
    expect(valuesOf('a > ignoring(x) b')).toEqual([5])
    expect(valuesOf('scalar(max(a)) - a > 1')).toEqual([4])
    expect(valuesOf('max by (x) (a)')).toEqual([1, 5])
    expect(valuesOf('max by (job) (a) - on (job) group_right a')).toEqual([4, 0])
    expect(() => valuesOf('a - on (job) group_right b')).toThrow('many match on the left')
    expect(valuesOf('a{x=~"1|3"} or b')).toEqual([1, 2])
    expect(valuesOf('b and a{x="1"}')).toEqual([])
    expect(() => valuesOf('a > 0.7 * ignoring(x) b')).toThrow('between vectors only')
  })

  test('a counter rises over what it was, and one that was not there does not', () => {
    expect(valuesOf('increase(c_total[5m])')).toEqual([6])
    expect(valuesOf('increase(d_total[5m])')).toEqual([])
    expect(valuesOf('rate(c_total[1m]) > 0')).toEqual([0.1])
  })
})
