import { parseHostHeaderLine } from '../../../base/http/headerLine.ts'
import type { NodeHeaders } from '../../../comet/client/httpClient.ts'

/** What a node serves: the newest blocks and states, old ones, or to take transactions. */
export type UpstreamRole = 'head' | 'archive' | 'send'

export interface UpstreamAddress {
  /** The URL of CometBFT's RPC, such as `http://host:26657`. */
  readonly node: string
  /** The gRPC address, such as `host:9090`; without one, queries go through CometBFT. */
  readonly grpc?: string | undefined
  /** What it serves; undefined: everything. */
  readonly roles?: readonly UpstreamRole[] | undefined
  /** Its share of the calls; undefined: the first node that can answer gets all. 0: only if no other can. */
  readonly weight?: number | undefined
  readonly headers?: NodeHeaders | undefined
  readonly grpcHeaders?: NodeHeaders | undefined
}

/** The settings that describe the upstreams, one entry for each in the order of `node`; the last ones may be missing. */
export interface UpstreamSettings {
  readonly node: readonly string[]
  readonly grpc: readonly string[]
  /** Such as `head+send`; `all` is everything. */
  readonly roles: readonly string[]
  readonly weights: readonly string[]
  /** Each as `Name: value`, or `host Name: value` for one host only. */
  readonly header: readonly string[]
}

const parseRoles = (text: string | undefined): readonly UpstreamRole[] | undefined =>
  text === undefined || text === 'all' ? undefined : (text.split('+') as UpstreamRole[]) // checked with the settings

/** Returns the headers for an address: those of its host, with or without its port, and those of all hosts. */
const headersFor = (lines: readonly string[], { hostname, port, protocol }: URL): NodeHeaders => {
  // A URL leaves out the port that is its protocol's own.
  const hosts = [hostname, `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`]
  return Object.fromEntries(
    lines.flatMap((line) => {
      const header = parseHostHeaderLine(line)
      if (header === undefined || (header.host !== undefined && !hosts.includes(header.host.toLowerCase())))
        return []
      return [[header.name.toLowerCase(), header.value]]
    }),
  )
}

/** Returns the upstreams that settings describe. */
export const toUpstreamAddresses = ({
  node: nodes,
  grpc: grpcs,
  roles,
  weights,
  header,
}: UpstreamSettings): readonly UpstreamAddress[] =>
  nodes.map((node, index) => {
    const grpc = grpcs[index]
    const weight = weights[index]
    return {
      node,
      grpc,
      roles: parseRoles(roles[index]),
      // Where shares are given, a node without one has one share.
      weight: weight === undefined ? (weights.length > 0 ? 1 : undefined) : Number(weight),
      headers: headersFor(header, new URL(node)),
      grpcHeaders:
        grpc === undefined ? {} : headersFor(header, new URL(grpc.includes('://') ? grpc : `http://${grpc}`)),
    }
  })
