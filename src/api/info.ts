import type { OpenRpcInfo } from '../rpc/openrpc.ts'

/** The head of the OpenRPC document. */
export const apiInfo = (version: string): OpenRpcInfo => ({
  title: 'Perihelion',
  description: 'The Ethereum JSON-RPC methods of a node for chains that run on CometBFT.',
  version,
})
