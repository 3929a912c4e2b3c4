import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'
import { hashText } from './data.ts'

/** The protocols of a node, with geth's member names; members that do not apply are left out. */
const protocols = z.object({
  eth: z.object({
    network: z.number().describe('The chain id'),
    genesis: hashText,
    head: hashText,
  }),
  engine: z.object({ version: z.string() }).optional(),
})

export const NodeInfo = plainType(
  z.object({
    id: z.string().optional(),
    name: z.string().describe('The client version'),
    moniker: z.string().optional(),
    ip: z.string().optional(),
    ports: z.object({ listener: z.int() }).optional(),
    listenAddr: z.string().optional(),
    protocols,
  }),
)

export const Peers = plainType(
  z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      network: z.object({ remoteAddress: z.string(), inbound: z.boolean() }),
      protocols: z.object({ engine: z.object({ version: z.string() }) }),
    }),
  ),
)
