import { join } from 'node:path'
import { createEngineConfig } from '../../src/engine/cometbft/process/config.ts'
import { ensureConfig, ensureEngineHome } from '../../src/engine/cometbft/process/home.ts'
import { plainValues } from '../../src/engine/cometbft/process/ownedKeys.ts'
import { freePort } from '../support/freePort.ts'
import { askEngine } from './rpcHelpers.ts'
import { type Network, type NetworkNode, type StartedNode, startNode } from './testnet.ts'

export interface JoinedNode {
  readonly node: StartedNode
  /** Of the validator that it could be. */
  readonly publicKey: Uint8Array
}

/** `id@host:port` of a node that runs. */
const peerOf = async (node: NetworkNode): Promise<string> => {
  const { node_info: info } = await askEngine<{ node_info: { id: string; listen_addr: string } }>(
    node,
    'status',
  )
  return `${info.id}@${info.listen_addr.replace('tcp://', '')}`
}

/** One more node of a network, which follows it and decides nothing until it is made a validator. */
export const joinNetwork = async (network: Network, reward: string): Promise<JoinedNode> => {
  const home = join(network.folder, `node${network.nodes.length}`)
  const engine = ensureEngineHome(join(home, 'engine'))
  ensureConfig(
    engine,
    createEngineConfig({
      ...plainValues,
      moniker: `node${network.nodes.length}`,
      p2pAddress: `127.0.0.1:${await freePort()}`,
      rpcAddress: `127.0.0.1:${await freePort()}`,
      persistentPeers: await Promise.all(network.nodes.map(peerOf)),
      blockTimeMs: 200,
      isLocal: true,
    }),
  )
  const flags = [
    '--engine=cometbft',
    `--genesis=${join(network.folder, 'genesis.json')}`,
    `--coinbase=${reward}`,
    '--json-rpc.address=127.0.0.1:0',
    '--json-rpc.ws-address=127.0.0.1:0',
    '--json-rpc.api=eth,net,web3,txpool,debug,clique,perihelion,rpc',
  ]
  return { node: await startNode(home, { flags }), publicKey: engine.validatorKey.publicKey }
}
