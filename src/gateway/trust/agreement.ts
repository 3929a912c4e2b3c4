import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { parseCommitReply } from '../../comet/data/commit.ts'
import { headerHash } from '../../comet/data/headerHash.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import type { NodeStatus } from '../../comet/data/replies.ts'
import type { LightSource } from '../../light/trustChain.ts'
import { TrustError } from '../../light/trustError.ts'
import type { UpstreamClient } from '../upstreams/upstreamClient.ts'

const timeoutMs = 5_000

type Nodes = Pick<UpstreamClient, 'selector'>

/** Returns the other nodes that can be asked and that are not on their way to the newest block themselves. */
const witnessesOf = ({ selector }: Nodes, { node }: LightSource): readonly NodeStatus[] =>
  selector
    .candidates({ weight: 'light', kind: 'block' })
    .flatMap(({ name, status }) => (name === node || status === undefined ? [] : [status]))
    .filter(({ latestHeight, isCatchingUp }) => latestHeight > 0 && !isCatchingUp)

/**
 * Returns the newest height that a node has and that another one has too, so that a node which is ahead, or says so, is not
 * alone with the block that is trusted on first use. Without others it is its own newest one.
 */
export const commonHeight = (nodes: Nodes, source: LightSource, latest: number): number => {
  const heights = witnessesOf(nodes, source).map(({ latestHeight }) => latestHeight)
  return heights.length === 0 ? latest : Math.min(latest, Math.max(...heights))
}

/**
 * Returns whether a height may be there: a node has it or is on its way to the newest block itself, or there is one that cannot
 * be asked now.
 */
export const mayBeThere = (nodes: Nodes, height: number): boolean =>
  !areAllUsable(nodes) ||
  usableOf(nodes).some(({ status }) => status?.isCatchingUp || (status?.latestHeight ?? 0) >= height)

const usableOf = ({ selector }: Nodes) => selector.candidates({ weight: 'light', kind: 'any' })

/** Returns whether each node that serves reads can be asked now. */
export const areAllUsable = (nodes: Nodes): boolean => usableOf(nodes).length >= nodes.selector.readers

/**
 * Asks all other nodes for the block that is about to be trusted on first use. If one has another, an operator must say
 * which is right; if none that could be asked has it, it is not trusted yet.
 */
export const assertAgreed = async (
  nodes: Nodes,
  block: { readonly source: LightSource; readonly height: number; readonly hash: Uint8Array },
  signal: AbortSignal,
): Promise<void> => {
  const { selector } = nodes
  const { source, height, hash } = block
  const others = selector
    .candidates({ weight: 'light', kind: 'block', height })
    .filter(({ name }) => name !== source.node)
  const isAlone = witnessesOf(nodes, source).length === 0
  const answers = await Promise.all(
    others.map(async (upstream) => {
      const call = () => upstream.rpc('commit', { height: String(height) }, 'light', { signal, timeoutMs })
      try {
        return [headerHash(parseCommitReply(await selector.attempt(upstream, call, signal)).header)]
      } catch {
        return []
      }
    }),
  )
  const hashes = answers.flat()
  const other = hashes.find((found) => !equalBytes(found, hash))
  if (other !== undefined)
    throw new TrustError(
      `nodes disagree about block ${height} (${toHex(hash)}, ${toHex(other)}): set gateway.trust-height and gateway.trust-hash to a block that you know to be of the chain`,
    )
  if (hashes.length === 0 && !isAlone)
    throw new NativeQueryError(
      'future height',
      `no other node has told of block ${height}, which would be trusted on first use`,
    )
}
