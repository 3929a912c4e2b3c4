import type { Command } from 'commander'
import { badUsage } from '../../base/exit.ts'
import { loadConfig } from '../../config/load.ts'
import {
  describeEngineHome,
  type EngineIdentity,
  readIdentity,
  toPeers,
} from '../../service/home/networkId.ts'
import { raiseSignStateOf, signStateOf } from '../../service/home/signState.ts'

interface NetworkFlags {
  readonly home?: string
  readonly json?: boolean
}

interface SignStateFlags extends NetworkFlags {
  readonly raise?: string
}

/** Defines `perihelion network id|peers|sign-state`. */
export const define = (command: Command): void => {
  command
    .command('id')
    .description('Print who the node of a home is: what others need to dial it and to make it a validator')
    .option('--home <dir>', 'the home (default: as for start)')
    .option('--json', 'print it as JSON')
    .action(({ home, json = false }: NetworkFlags) => {
      const identity = describeEngineHome(homeFolder(home))
      process.stdout.write(json ? `${JSON.stringify(identity, undefined, 2)}\n` : renderIdentity(identity))
    })
  command
    .command('peers')
    .description('Print what --persistent-peers takes, from files that `network id --json` wrote')
    .argument('<files...>', 'the files, of which that of this node is passed over')
    .option('--home <dir>', 'the home of this node (default: as for start)')
    .action((files: readonly string[], { home }: NetworkFlags) => {
      const own = describeEngineHome(homeFolder(home)).nodeId
      process.stdout.write(`${toPeers(files.map(readIdentity), own)}\n`)
    })
  command
    .command('sign-state')
    .description(
      'Print what the key of a home has signed last, or raise it, so that nothing below is signed again',
    )
    .option('--home <dir>', 'the home (default: as for start)')
    .option(
      '--raise <height>',
      'the height up to which nothing is signed any more (the node must be stopped)',
    )
    .option('--json', 'print it as JSON')
    .action(({ home, raise, json = false }: SignStateFlags) => {
      if (raise !== undefined && !/^[1-9]\d{0,14}$/.test(raise)) throw badUsage('--raise: wanted a height')
      const folder = homeFolder(home)
      const state = raise === undefined ? signStateOf(folder) : raiseSignStateOf(folder, Number(raise))
      const text = `height ${state.height} round ${state.round} step ${state.step}`
      process.stdout.write(`${json ? JSON.stringify(state) : text}\n`)
    })
}

const homeFolder = (home: string | undefined): string =>
  loadConfig({ flags: home === undefined ? [] : [`--home=${home}`], env: process.env }).config.home

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
