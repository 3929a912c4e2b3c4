import type { Command } from 'commander'
import { loadConfig } from '../config/load.ts'
import { describeEngineHome, type EngineIdentity } from '../service/networkId.ts'

interface NetworkFlags {
  readonly home?: string
  readonly json?: boolean
}

/** Defines `perihelion network id`. */
export const define = (command: Command): void => {
  command
    .command('id')
    .description('Print who the node of a home is: what others need to dial it and to make it a validator')
    .option('--home <dir>', 'the home (default: as for start)')
    .option('--json', 'print it as JSON')
    .action(({ home, json = false }: NetworkFlags) => {
      const { config } = loadConfig({
        flags: home === undefined ? [] : [`--home=${home}`],
        env: process.env,
      })
      const identity = describeEngineHome(config.home)
      process.stdout.write(json ? `${JSON.stringify(identity, undefined, 2)}\n` : renderIdentity(identity))
    })
}

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
  return rows.map(([label = '', value]) => `${label.padEnd(18)} ${value}\n`).join('')
}

/** Peers cannot dial an address that means every interface. */
const withHost = (address: string): string => address.replace(/^(?:0\.0\.0\.0|\[::\])(?=:)/, '<this host>')
