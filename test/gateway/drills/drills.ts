import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewayProcess } from '../fleet/gatewayProcess.ts'
import type { Replay } from '../replay/server/server.ts'
import { beatMs, type Cluster } from './cluster.ts'
import { databaseDrills } from './databaseDrills.ts'
import { nodeFaults, takesNothing } from './nodeFaults.ts'

export interface Drill {
  readonly name: string
  readonly run: () => Promise<void>
}

export interface DrillTimes {
  readonly drillMs: number
  readonly haltMs: number
}

/** What others send in the place of a gateway that was not seen for so long, and a little more. */
const leaseMs = 12_000
/** A balancer has noticed by then that a server does not answer. */
const noticeMs = 1_000

const gatewayAt = ({ gateways }: Cluster, index: number): GatewayProcess => gateways[index] as GatewayProcess // there are three

const nodeDrills = (cluster: Cluster, { drillMs }: DrillTimes): Drill[] =>
  Object.entries(nodeFaults).flatMap(([kind, faultsAt]) =>
    [0, 1, 2].map((index) => ({
      name: `node ${index + 1} ${kind}`,
      run: async () => {
        const upstream = cluster.upstreams[index] as Replay // there are three
        await upstream.setFaults(faultsAt(cluster.chain.head))
        await sleep(drillMs)
        await upstream.setFaults({})
      },
    })),
  )

/** Each does something to one gateway, for each of them. */
const gatewayDrills = (cluster: Cluster, { drillMs }: DrillTimes): Drill[] => {
  const kinds: Readonly<Record<string, (index: number) => Promise<void>>> = {
    killed: async (index) => {
      await gatewayAt(cluster, index).kill()
      await sleep(drillMs)
      await gatewayAt(cluster, index).start()
    },
    'killed, its home removed': async (index) => {
      await gatewayAt(cluster, index).kill()
      cluster.removeHome(index)
      await sleep(drillMs)
      await gatewayAt(cluster, index).start()
    },
    frozen: async (index) => {
      gatewayAt(cluster, index).freeze()
      await sleep(noticeMs)
      gatewayAt(cluster, index).passOver()
      // What it kept is sent by another one when it goes on.
      await sleep(Math.max(drillMs, leaseMs))
      gatewayAt(cluster, index).thaw()
    },
    'cut off from the nodes': async (index) => {
      cluster.cutOff(index, 'nodes')
      await sleep(drillMs)
      cluster.join(index)
    },
    'cut off from the database': async (index) => {
      cluster.cutOff(index, 'databases')
      await sleep(Math.max(drillMs, leaseMs))
      cluster.join(index)
    },
    'cut off from both': async (index) => {
      cluster.cutOff(index, 'all')
      await sleep(Math.max(drillMs, leaseMs))
      cluster.join(index)
    },
    'lost with what it alone was to send': async (index) => {
      for (const upstream of cluster.upstreams) await upstream.setFaults(takesNothing)
      // Until something was acknowledged that no node has.
      await sleep(Math.max(drillMs, leaseMs))
      await gatewayAt(cluster, index).kill()
      cluster.removeHome(index)
      for (const upstream of cluster.upstreams) await upstream.setFaults({})
      await gatewayAt(cluster, index).start()
    },
  }
  return Object.entries(kinds).flatMap(([kind, run]) =>
    [0, 1, 2].map((index) => ({ name: `gateway ${index + 1} ${kind}`, run: () => run(index) })),
  )
}

/** Everything that fails, one after the other. The last one leaves the gateways with the standby of their database. */
export const createDrills = (cluster: Cluster, times: DrillTimes): readonly Drill[] => [
  { name: 'nothing fails', run: () => sleep(times.drillMs) },
  ...nodeDrills(cluster, times),
  ...gatewayDrills(cluster, times),
  {
    name: `the chain halted for ${times.haltMs / 1_000} s`,
    run: async () => {
      cluster.setBeat(0)
      await sleep(times.haltMs)
      cluster.setBeat(beatMs)
    },
  },
  ...databaseDrills(cluster, times),
]
