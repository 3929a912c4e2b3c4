import { Counter, Gauge, type Registry } from 'prom-client'
import { type LieKind, lieKinds } from '../comet/data/provenLie.ts'
import { type StateOutcome, stateOutcomes } from '../light/state/stateProofs.ts'
import { type CallOutcomeName, callOutcomes } from './calls/provenCalls.ts'
import type { FleetStats } from './fleet/fleet.ts'
import type { Member } from './fleet/memberRows.ts'
import type { UpstreamStats } from './upstreams/upstream.ts'

export interface GatewayStats {
  readonly head: number
  /** The height of the chain, as far as it is known. */
  readonly highest: number
  /** The block that the gateway rejects and above which it serves nothing; 0 if there is none. */
  readonly untakenBlock: number
  /** The number of native transactions whose Ethereum messages are not understood. */
  readonly undecodedTransactions: number
  /** The number of lies by their kind, since the start. */
  readonly lies: ReadonlyMap<LieKind, number>
  /** The number of answers about states by how they were proven or why they were believed; undefined: none is proven. */
  readonly stateAnswers?: ReadonlyMap<StateOutcome, number> | undefined
  /** The number of answers of calls by how they were served; undefined: none is proven. */
  readonly callAnswers?: ReadonlyMap<CallOutcomeName, number> | undefined
  readonly upstreams: readonly UpstreamStats[]
  /** The number of queries that were answered from the cache. */
  readonly cachedResponses: number
  /** The number of queries that joined an equal one in flight. */
  readonly joinedCalls: number
  /** The number of reads for which a second upstream was asked beside a slow one. */
  readonly hedgedCalls: number
  /** The gateways that share a database with this one; undefined if it is alone. */
  readonly fleet?: FleetStats | undefined
}

/** Registers the metrics of a gateway, which are read when they are collected. */
export const registerGatewayMetrics = (registry: Registry, stats: () => GatewayStats): void => {
  const registers = [registry]
  new Gauge({
    name: 'perihelion_gateway_height',
    help: 'The newest block in the store, and that of the chain behind the gateway',
    labelNames: ['of'],
    registers,
    collect() {
      const { head, highest } = stats()
      this.set({ of: 'store' }, head)
      this.set({ of: 'chain' }, highest)
    },
  })
  new Gauge({
    name: 'perihelion_gateway_untaken_block',
    help: 'The block that the gateway rejects and above which it serves nothing; 0 if there is none',
    registers,
    collect() {
      this.set(stats().untakenBlock)
    },
  })
  new Gauge({
    name: 'perihelion_gateway_upstream_ready',
    help: 'Whether a node of the chain takes requests: 1 or 0',
    labelNames: ['node'],
    registers,
    collect() {
      for (const { node, state } of stats().upstreams) this.set({ node }, state === 'ready' ? 1 : 0)
    },
  })
  new Gauge({
    name: 'perihelion_gateway_upstream_grpc_ready',
    help: 'Whether the gRPC of a node of the chain responds, if it has one: 1 or 0',
    labelNames: ['node'],
    registers,
    collect() {
      for (const { node, isGrpcReady } of stats().upstreams)
        if (isGrpcReady !== undefined) this.set({ node }, isGrpcReady ? 1 : 0)
    },
  })
  new Gauge({
    name: 'perihelion_gateway_upstream_height',
    help: 'The newest block that a node of the chain last reported',
    labelNames: ['node'],
    registers,
    collect() {
      for (const { node, latestHeight } of stats().upstreams)
        if (latestHeight !== undefined) this.set({ node }, latestHeight)
    },
  })
  new Gauge({
    name: 'perihelion_gateway_upstream_passed_over',
    help: 'Whether a node of the chain gets no requests, by reason: 1 or 0',
    labelNames: ['node', 'why'],
    registers,
    collect() {
      for (const { node, state, isLimited } of stats().upstreams) {
        this.set({ node, why: 'quarantine' }, state === 'quarantined' ? 1 : 0)
        this.set({ node, why: 'rate limit' }, isLimited ? 1 : 0)
      }
    },
  })
  new Gauge({
    name: 'perihelion_gateway_database_away_seconds',
    help: 'Time since the database of the fleet stopped responding; 0 if it responds',
    registers,
    collect() {
      this.reset()
      const { fleet } = stats()
      if (fleet !== undefined) this.set(fleet.databaseAwaySeconds)
    },
  })
  const members = {
    height: { help: 'The newest block of a gateway of the fleet', of: ({ height }: Member) => height },
    unseen_seconds: {
      help: 'Time since a gateway of the fleet last reported itself',
      of: ({ unseenSeconds }: Member) => unseenSeconds,
    },
    has_trouble: {
      help: 'Whether a gateway of the fleet has a problem: 1 or 0',
      of: ({ trouble }: Member) => (trouble === null ? 0 : 1),
    },
  } as const
  for (const [name, { help, of }] of Object.entries(members)) {
    new Gauge({
      name: `perihelion_gateway_member_${name}`,
      help,
      labelNames: ['member', 'name'],
      registers,
      collect() {
        this.reset()
        for (const member of stats().fleet?.members ?? [])
          this.set({ member: member.id, name: member.name }, of(member))
      },
    })
  }
  new Counter({
    name: 'perihelion_gateway_hedged_calls_total',
    help: 'Requests that were also sent to a second node because the first was slow',
    registers,
    collect() {
      this.reset()
      this.inc(stats().hedgedCalls)
    },
  })
  const counters = {
    calls: 'Calls to a node of the chain',
    failures: 'Calls to a node of the chain that failed',
    quarantines: 'How often a node of the chain contradicted itself and was quarantined',
  } as const
  for (const [member, help] of Object.entries(counters)) {
    new Counter({
      name: `perihelion_gateway_upstream_${member}_total`,
      help,
      labelNames: ['node'],
      registers,
      collect() {
        this.reset()
        for (const upstream of stats().upstreams)
          this.inc({ node: upstream.node }, upstream[member as keyof typeof counters]) // by construction
      },
    })
  }
  new Counter({
    name: 'perihelion_gateway_undecoded_transactions_total',
    help: 'Native transactions whose Ethereum messages have an unknown form',
    registers,
    collect() {
      this.reset()
      this.inc(stats().undecodedTransactions)
    },
  })
  new Counter({
    name: 'perihelion_gateway_lies_total',
    help: 'Statements of nodes that are proven wrong, by kind; data/lies.jsonl has the evidence',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset()
      const { lies } = stats()
      for (const kind of lieKinds) this.inc({ kind }, lies.get(kind) ?? 0)
    },
  })
  new Counter({
    name: 'perihelion_gateway_state_answers_total',
    help: 'Answers about states with gateway.verify-state, by outcome: proven, or believed because the state is the newest, because nodes give no proof, or in part',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      const { stateAnswers } = stats()
      for (const outcome of stateOutcomes) this.inc({ outcome }, stateAnswers?.get(outcome) ?? 0)
    },
  })
  new Counter({
    name: 'perihelion_gateway_call_answers_total',
    help: 'Answers of calls with gateway.verify-state = "calls", by outcome: proven, proven although a node left out some of what the call reads, believed because the state is the newest, or unproven and rejected',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      const { callAnswers } = stats()
      for (const outcome of callOutcomes) this.inc({ outcome }, callAnswers?.get(outcome) ?? 0)
    },
  })
  new Counter({
    name: 'perihelion_gateway_saved_calls_total',
    help: 'Requests that were answered without a call to a node, by reason',
    labelNames: ['by'],
    registers,
    collect() {
      this.reset()
      const { cachedResponses, joinedCalls } = stats()
      this.inc({ by: 'cache' }, cachedResponses)
      this.inc({ by: 'joined' }, joinedCalls)
    },
  })
}
