import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { UpstreamClient } from '../client/upstreamClient.ts'
import { headerHash } from '../verify/headerHash.ts'
import { parseCommitReply } from './commit.ts'
import type { LightSource } from './trustChain.ts'
import { TrustError } from './trustError.ts'

const timeoutMs = 5_000

/**
 * Asks all other nodes for the block that is about to be trusted on first use. Those that do not have it are passed over;
 * if one has another, an operator has to say which is right.
 */
export const assertAgreed = async (
  { selector }: Pick<UpstreamClient, 'selector'>,
  block: { readonly source: LightSource; readonly height: number; readonly hash: Uint8Array },
  signal: AbortSignal,
): Promise<void> => {
  const { source, height, hash } = block
  const others = selector
    .candidates({ weight: 'light', kind: 'block', height })
    .filter(({ name }) => name !== source.node)
  const hashes = await Promise.all(
    others.map(async (upstream) => {
      const call = () => upstream.rpc('commit', { height: String(height) }, 'light', { signal, timeoutMs })
      try {
        return headerHash(parseCommitReply(await selector.attempt(upstream, call, signal)).header)
      } catch {
        return undefined
      }
    }),
  )
  const other = hashes.find((found) => found !== undefined && !equalBytes(found, hash))
  if (other !== undefined)
    throw new TrustError(
      `nodes disagree about block ${height} (${toHex(hash)}, ${toHex(other)}): set gateway.trust-height and gateway.trust-hash to a block that you know to be of the chain`,
    )
}
