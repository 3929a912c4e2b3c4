import { maxSimulatedBlocks } from '../../chain/state/simulation.ts'

/** The limits of one simulation, as in geth, and of one list of bundles. */
export const simulationLimits = { blocks: maxSimulatedBlocks, callsOfBlock: 5_000, calls: 10_000 } as const

/** The error code for a simulation past its limits (execution-apis). */
export const simulationLimitCode = -38026

/** Returns how many entries the lists have that are under a name in the members of another list, one after the other. */
export const nestedCounts = (members: readonly unknown[], name: string): readonly number[] =>
  members.map((member) => {
    if (typeof member !== 'object' || member === null) return 0
    const nested = (member as Readonly<Record<string, unknown>>)[name] // of anything: the request is not decoded yet
    return Array.isArray(nested) ? nested.length : 0
  })
