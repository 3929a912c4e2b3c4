import { openNode } from '../start/openNode.ts'
import { embed } from './library.ts'
import type { EmbeddedNode, LibraryOptions, ListeningNode } from './libraryTypes.ts'

export interface NodeOptions extends LibraryOptions {}

/**
 * Starts a chain in this process: what `perihelion start` starts, by default with ten funded and unlocked accounts and a
 * block for every transaction.
 *
 * ```ts
 * const node = await createNode({ settings: { chainId: 1337n } })
 * const client = createPublicClient({ transport: http(node.url) })
 * await node.close()
 * ```
 */
export function createNode(options: NodeOptions & { readonly listen: false }): Promise<EmbeddedNode>
export function createNode(options?: NodeOptions): Promise<ListeningNode>
export async function createNode(options: NodeOptions = {}): Promise<ListeningNode> {
  return embed(options, 'node', openNode)
}
