/** The Grafana dashboard over our metrics and CometBFT's, as JSON that Grafana imports. */

interface Query {
  readonly expr: string
  readonly legend: string
}

interface Panel {
  readonly title: string
  readonly unit: string
  readonly queries: readonly Query[]
  /** What to do when it looks wrong. */
  readonly about: string
}

const rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[] = [
  {
    title: 'Chain',
    panels: [
      {
        title: 'Height',
        unit: 'none',
        queries: [{ expr: 'perihelion_head_number', legend: '{{instance}}' }],
        about: 'All lines rise together. A node whose line stays behind is cut off or too slow.',
      },
      {
        title: 'Age of the newest block',
        unit: 's',
        queries: [{ expr: 'time() - perihelion_head_timestamp_seconds', legend: '{{instance}}' }],
        about: 'Above ten block times on all nodes: the chain has halted; see missing validators.',
      },
      {
        title: 'Transactions a second',
        unit: 'ops',
        queries: [{ expr: 'rate(perihelion_block_transactions_total[1m])', legend: '{{instance}}' }],
        about: 'In blocks; the same on all nodes.',
      },
      {
        title: 'Gas used, share of the limit',
        unit: 'percentunit',
        queries: [
          {
            expr: 'rate(perihelion_block_gas_total[1m]) / (rate(perihelion_block_blocks_total[1m]) * perihelion_head_gas_limit)',
            legend: '{{instance}}',
          },
        ],
        about: 'Above one half the base fee rises.',
      },
      {
        title: 'Base fee',
        unit: 'none',
        queries: [{ expr: 'perihelion_head_base_fee_wei', legend: '{{instance}}' }],
        about: 'In wei.',
      },
      {
        title: 'Blocks behind, and peers',
        unit: 'none',
        queries: [
          { expr: 'perihelion_behind_blocks', legend: 'behind {{instance}}' },
          { expr: 'perihelion_peers', legend: 'peers {{instance}}' },
        ],
        about: 'A node with no peers and blocks behind is cut off.',
      },
    ],
  },
  {
    title: 'Gateway',
    panels: [
      {
        title: 'Blocks behind the chain',
        unit: 'none',
        queries: [
          {
            expr: 'perihelion_gateway_height{of="chain"} - ignoring(of) perihelion_gateway_height{of="store"}',
            legend: '{{instance}}',
          },
        ],
        about: 'Near 0. If it grows, the nodes respond too slowly, or a block is rejected.',
      },
      {
        title: 'Heights of the nodes of the chain',
        unit: 'none',
        queries: [{ expr: 'perihelion_gateway_upstream_height', legend: '{{node}} {{instance}}' }],
        about: 'All lines rise together; a node that stays behind is asked last.',
      },
      {
        title: 'Calls to nodes of the chain, and failures',
        unit: 'reqps',
        queries: [
          {
            expr: 'sum by (node) (rate(perihelion_gateway_upstream_calls_total[1m]))',
            legend: '{{node}}',
          },
          {
            expr: 'sum by (node) (rate(perihelion_gateway_upstream_failures_total[1m]))',
            legend: '{{node}} failed',
          },
        ],
        about: 'If one node fails, check that node. If all fail, check the network between.',
      },
      {
        title: 'Nodes that are not asked',
        unit: 'none',
        queries: [
          {
            expr: 'sum by (node, why) (perihelion_gateway_upstream_passed_over)',
            legend: '{{node}} {{why}}',
          },
          {
            expr: 'sum by (node) (increase(perihelion_gateway_upstream_quarantines_total[1h]))',
            legend: '{{node}} said what cannot be',
          },
        ],
        about:
          'A node is quarantined when it contradicts itself: see the log. A rate limit is set by the node.',
      },
      {
        title: 'Reads without a call of their own',
        unit: 'percentunit',
        queries: [
          {
            expr: 'sum by (by) (rate(perihelion_gateway_saved_calls_total[5m])) / scalar(sum(rate(perihelion_gateway_saved_calls_total[5m])) + sum(rate(perihelion_gateway_upstream_calls_total[5m])))',
            legend: '{{by}}',
          },
          { expr: 'sum(rate(perihelion_gateway_hedged_calls_total[5m]))', legend: 'asked twice a second' },
        ],
        about: 'The share of the cache falls with new blocks, and if gateway.cache-size is too small.',
      },
      {
        title: 'Fleet: the database away, gateways not seen',
        unit: 's',
        queries: [
          { expr: 'perihelion_gateway_database_away_seconds', legend: 'database from {{instance}}' },
          {
            expr: 'max by (name, member) (perihelion_gateway_member_unseen_seconds)',
            legend: '{{name}} {{member}}',
          },
        ],
        about:
          'Without the database, sends that must be kept and polls of filters are rejected. Another gateway sends what a lost one kept.',
      },
    ],
  },
  {
    title: 'Clients',
    panels: [
      {
        title: 'Calls a second by method',
        unit: 'reqps',
        queries: [
          {
            expr: 'topk(10, sum by (method) (rate(perihelion_rpc_requests_total[1m])))',
            legend: '{{method}}',
          },
        ],
        about: 'The ten most frequent.',
      },
      {
        title: 'Errors a second by code',
        unit: 'reqps',
        queries: [
          {
            expr: 'sum by (outcome) (rate(perihelion_rpc_requests_total{outcome!="ok"}[1m]))',
            legend: '{{outcome}}',
          },
        ],
        about: '-32005: a limit. -32002: out of time, or pruned. -32603: a bug of this program; see the log.',
      },
      {
        title: 'Slowest methods, 99th percentile',
        unit: 's',
        queries: [
          {
            expr: 'topk(10, histogram_quantile(0.99, sum by (le, method) (rate(perihelion_rpc_request_seconds_bucket[5m]))))',
            legend: '{{method}}',
          },
        ],
        about: 'From dispatch to result.',
      },
      {
        title: 'Connections and subscriptions',
        unit: 'none',
        queries: [
          { expr: 'sum by (transport) (perihelion_rpc_connections)', legend: '{{transport}}' },
          { expr: 'sum by (kind) (perihelion_subscriptions)', legend: 'subscription {{kind}}' },
        ],
        about: 'Compare with json-rpc.max-open-connections.',
      },
      {
        title: 'Turned away a second',
        unit: 'reqps',
        queries: [
          { expr: 'sum by (reason) (rate(perihelion_rpc_rejected_total[1m]))', legend: '{{reason}}' },
        ],
        about: 'Rejected before they became a call; docs/settings.md names the limit of each.',
      },
      {
        title: 'Pool',
        unit: 'none',
        queries: [
          { expr: 'perihelion_pool_transactions', legend: '{{state}} {{instance}}' },
          { expr: 'rate(perihelion_pool_dropped_total[1m])', legend: 'dropped/s {{reason}}' },
        ],
        about: 'Pending that only grows: blocks are full, or the engine does not take them.',
      },
    ],
  },
  {
    title: 'Process',
    panels: [
      {
        title: 'Event loop delay, 99th percentile',
        unit: 's',
        queries: [{ expr: 'perihelion_event_loop_delay_seconds{quantile="0.99"}', legend: '{{instance}}' }],
        about: 'Above 0.1 s all requests wait: too much work for this machine, or a bug.',
      },
      {
        title: 'Memory',
        unit: 'bytes',
        queries: [
          { expr: 'perihelion_process_resident_memory_bytes', legend: 'resident {{instance}}' },
          { expr: 'perihelion_nodejs_heap_size_used_bytes', legend: 'heap {{instance}}' },
        ],
        about:
          'Resident memory includes pages of the data file, which the system reclaims when it needs them.',
      },
      {
        title: 'CPU',
        unit: 'none',
        queries: [{ expr: 'rate(perihelion_process_cpu_seconds_total[1m])', legend: '{{instance}}' }],
        about: 'Cores in use.',
      },
      {
        title: 'Workers of calls and traces',
        unit: 'none',
        queries: [
          { expr: 'perihelion_call_workers', legend: '{{pool}} {{state}}' },
          { expr: 'perihelion_call_queue', legend: '{{pool}} waiting' },
        ],
        about:
          'If the queue stays: raise json-rpc.call-workers or json-rpc.trace-workers, or lower json-rpc.gas-cap.',
      },
      {
        title: 'Free space of the disk',
        unit: 'bytes',
        queries: [
          { expr: 'perihelion_disk_free_bytes', legend: 'free {{instance}}' },
          { expr: 'perihelion_disk_needed_bytes', legend: 'needed {{instance}}' },
        ],
        about:
          'Where both meet, transactions are rejected and no block is begun (min-free-space): make room.',
      },
    ],
  },
  {
    title: 'CometBFT',
    panels: [
      {
        title: 'Time of ABCI calls',
        unit: 's',
        queries: [
          {
            expr: 'rate(perihelion_abci_seconds_total[1m]) / rate(perihelion_abci_calls_total[1m])',
            legend: '{{call}} {{instance}}',
          },
        ],
        about:
          'finalizeBlock is the execution of a block, except for the part that was executed ahead of the decision.',
      },
      {
        title: 'Blocks executed ahead of the decision',
        unit: 'ops',
        queries: [
          { expr: 'rate(perihelion_blocks_executed_ahead_total[1m])', legend: '{{outcome}} {{instance}}' },
        ],
        about: 'Outcomes are dropped if a block other than the first proposal was decided.',
      },
      {
        title: 'Block interval',
        unit: 's',
        queries: [
          {
            expr: 'rate(cometbft_consensus_block_interval_seconds_sum[1m]) / rate(cometbft_consensus_block_interval_seconds_count[1m])',
            legend: '{{instance}}',
          },
        ],
        about: 'timeout_commit and the time of a round.',
      },
      {
        title: 'Rounds and missing validators',
        unit: 'none',
        queries: [
          { expr: 'cometbft_consensus_rounds', legend: 'round {{instance}}' },
          { expr: 'cometbft_consensus_missing_validators', legend: 'missing {{instance}}' },
        ],
        about: 'Missing power of one third or more halts the chain.',
      },
      {
        title: 'Byzantine validators',
        unit: 'none',
        queries: [{ expr: 'cometbft_consensus_byzantine_validators', legend: '{{instance}}' }],
        about: 'Above zero, a validator signed twice, most often because one key is on two machines.',
      },
      {
        title: 'Mempool',
        unit: 'none',
        queries: [
          { expr: 'cometbft_mempool_size', legend: 'size {{instance}}' },
          { expr: 'rate(cometbft_mempool_failed_txs[1m])', legend: 'rejected/s {{instance}}' },
        ],
        about: 'Transactions of the pool that CometBFT holds.',
      },
      {
        title: 'Peers of CometBFT',
        unit: 'none',
        queries: [{ expr: 'cometbft_p2p_peers', legend: '{{instance}}' }],
        about: 'A validator behind sentries has as many as it has sentries.',
      },
    ],
  },
]

const datasource = { type: 'prometheus', uid: '$datasource' }
const columns = 3
const width = 24 / columns
const height = 8

/** Every metric that the dashboard asks for. */
export const dashboardMetrics = (): ReadonlySet<string> =>
  new Set(
    rows
      .flatMap(({ panels }) => panels)
      .flatMap(({ queries }) => queries)
      .flatMap(({ expr }) => expr.match(/\b(?:perihelion|cometbft)_[a-z0-9_]+/g) ?? []),
  )

export const writeDashboard = (): string => {
  const panels: object[] = []
  let y = 0
  for (const row of rows) {
    panels.push({
      type: 'row',
      id: panels.length + 1,
      title: row.title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: 24, h: 1 },
    })
    y++
    for (const [index, { title, unit, queries, about: description }] of row.panels.entries()) {
      panels.push({
        type: 'timeseries',
        id: panels.length + 1,
        title,
        description,
        datasource,
        gridPos: {
          x: (index % columns) * width,
          y: y + Math.floor(index / columns) * height,
          w: width,
          h: height,
        },
        fieldConfig: { defaults: { unit }, overrides: [] },
        targets: queries.map(({ expr, legend }, at) => ({
          refId: String.fromCharCode(65 + at),
          datasource,
          expr: filtered(expr),
          legendFormat: legend,
        })),
      })
    }
    y += Math.ceil(row.panels.length / columns) * height
  }
  return `${JSON.stringify(
    {
      uid: 'perihelion',
      title: 'Perihelion',
      schemaVersion: 39,
      refresh: '10s',
      time: { from: 'now-1h', to: 'now' },
      templating: {
        list: [
          { name: 'datasource', type: 'datasource', query: 'prometheus' },
          {
            name: 'instance',
            type: 'query',
            datasource,
            query: 'label_values(perihelion_head_number, instance)',
            multi: true,
            includeAll: true,
            allValue: '.*',
          },
        ],
      },
      panels,
    },
    undefined,
    2,
  )}\n`
}

/** Our own figures of the chosen nodes alone; CometBFT's have another port, and so another instance. */
const filtered = (expr: string): string =>
  expr.replace(/\bperihelion_[a-z_]+(\{)?/g, (metric, brace: string | undefined) =>
    brace === undefined ? `${metric}{instance=~"$instance"}` : `${metric}instance=~"$instance",`,
  )
