import { printable } from '../../../base/encoding/printable.ts'
import type { EngineIdentity } from '../../../service/home/networkId.ts'

/** Returns the identity of a node, one line for each part. */
export const renderIdentity = (identity: EngineIdentity): string => {
  const { nodeId, validatorKey, validatorKeyHex, validatorAddress, p2p, hasRemoteSigner } = identity
  const rows = [
    ['node id', nodeId],
    ...(p2p === undefined ? [] : [['to dial', `${nodeId}@${withHost(p2p)}`]]),
    ...(hasRemoteSigner
      ? [['validator key', 'the remote signer has it; that of this home is not used']]
      : [
          ['validator key', validatorKey],
          ['as hex', validatorKeyHex],
          ['validator address', validatorAddress],
        ]),
  ]
  return rows.map(([label = '', value]) => `${label.padEnd(18)} ${printable(value ?? '')}\n`).join('')
}

/** Peers cannot dial an address that means every interface. */
const withHost = (address: string): string => address.replace(/^(?:0\.0\.0\.0|\[::\])(?=:)/, '<this host>')
