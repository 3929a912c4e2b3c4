import { toHex } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { NodeIdentity, Peer } from '../../chain/port/network.ts'
import { firstNumber } from '../answers/lookup.ts'

/** Returns the node as `admin_nodeInfo` shows it: what its engine announces to peers, and the head of its chain. */
export const toNodeInfo = async (chain: Chain, clientVersion: string) => {
  const self = await chain.network.self()
  const genesis = chain.blocks.hash(firstNumber(chain)) ?? new Uint8Array(32)
  return {
    ...(self === undefined ? {} : describeSelf(self)),
    name: clientVersion,
    protocols: {
      eth: {
        network: Number(chain.config.chainId),
        genesis: toHex(genesis),
        head: toHex(chain.head().hash),
      },
      ...(self === undefined ? {} : { engine: { version: self.version } }),
    },
  }
}

const describeSelf = ({ id, name, address }: NodeIdentity) => {
  const colon = address.lastIndexOf(':')
  return {
    id,
    moniker: name,
    ip: address.slice(0, colon),
    ports: { listener: Number(address.slice(colon + 1)) },
    listenAddr: address,
  }
}

export const toPeerInfo = ({ id, name, address, version, isInbound }: Peer) => ({
  id,
  name,
  network: { remoteAddress: address, inbound: isInbound },
  protocols: { engine: { version } },
})
