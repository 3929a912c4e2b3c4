import { openGateway } from '../start/openGateway.ts'
import { embed } from './library.ts'
import type { EmbeddedNode, LibraryOptions, ListeningNode } from './libraryTypes.ts'

export interface GatewayOptions extends LibraryOptions {}

/**
 * Serves the Ethereum API in front of a chain that others run: what `perihelion gateway` starts. `settings.gateway.node`
 * names the chain's nodes. Resolves when the chain is known; it is caught up with from then on.
 *
 * ```ts
 * const gateway = await createGateway({ settings: { gateway: { node: ['http://127.0.0.1:26657'] } } })
 * ```
 */
export function createGateway(options: GatewayOptions & { readonly listen: false }): Promise<EmbeddedNode>
export function createGateway(options: GatewayOptions): Promise<ListeningNode>
export async function createGateway(options: GatewayOptions): Promise<ListeningNode> {
  // The dev profile is only for chains of this process.
  return embed(options, 'gateway', openGateway, (config) => ({ ...config, dev: false }))
}
