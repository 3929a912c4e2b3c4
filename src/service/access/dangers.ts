import { formatSocketAddress, isLoopbackHost } from '../../base/encoding/socketAddress.ts'
import { formatAddress, type ListenAddress } from '../../config/kinds/addresses.ts'
import { isDevProfile } from '../../config/rules/profile.ts'
import type { Config } from '../../config/settings/settings.ts'

/** Something that the settings allow and that an operator may not have meant. */
export interface Danger {
  readonly setting: string
  readonly text: string
  readonly remedy: string
}

/** Namespaces that have private methods. */
const privateNamespaces = ['personal', 'admin', 'miner', 'debug']

/** Finds settings with which others reach more than an operator may expect. A start goes on, with a warning for each. */
export const findDangers = (config: Config, namespaces: readonly string[]): readonly Danger[] => [
  ...openApplication(config),
  ...reachedAccounts(config, namespaces),
  ...everyOrigin(config, namespaces),
]

const openApplication = ({ engine, abciAddress }: Config): readonly Danger[] =>
  engine !== 'cometbft' || abciAddress?.kind !== 'tcp' || isLoopbackHost(abciAddress.host)
    ? []
    : [
        {
          setting: 'abci-address',
          text: `anyone who can reach ${formatSocketAddress(abciAddress)} can act as CometBFT and decide the blocks of this node: ABCI has no password`,
          remedy: 'use unix:///path, or tcp://127.0.0.1:PORT with CometBFT on this machine',
        },
      ]

const reachedAccounts = (config: Config, namespaces: readonly string[]): readonly Danger[] => {
  const { jsonRpc, accounts } = config
  const hasUnlocked = isDevProfile(config) && accounts > 0
  if (!hasUnlocked || !jsonRpc.enable) return []
  const methods = `the public methods of ${namespaces.join(',')}`
  const may = jsonRpc.allowInsecureUnlock
    ? `may sign with the unlocked accounts, and call ${methods}`
    : `may call ${methods}, but not sign with the unlocked accounts`
  return openAddresses(config).map(({ setting, address }) => ({
    setting,
    text: `anyone who can reach ${formatAddress(address)} ${may}`,
    remedy: `--${setting} 127.0.0.1:${address.port} binds it to this machine`,
  }))
}

const openAddresses = ({ jsonRpc: { address, wsAddress } }: Config) =>
  [
    { setting: 'json-rpc.address', address },
    { setting: 'json-rpc.ws-address', address: wsAddress },
  ].filter((one): one is { readonly setting: string; readonly address: ListenAddress } => {
    return one.address !== undefined && !isLoopbackHost(one.address.host)
  })

const everyOrigin = (config: Config, namespaces: readonly string[]): readonly Danger[] => {
  const { cors, vhosts, enable } = config.jsonRpc
  const named = privateNamespaces.filter((name) => namespaces.includes(name))
  const isSigner = isDevProfile(config) && config.accounts > 0
  // An ephemeral chain has nothing to lose, and `perihelion anvil` lets every page in, as anvil does.
  if (!enable || config.ephemeral || (named.length === 0 && !isSigner)) return []
  const reached = [
    ...(isSigner ? ['sign with the unlocked accounts'] : []),
    ...(named.length > 0 ? [`call private methods of ${named.join(',')} with a token`] : []),
  ].join(', and ')
  const danger = (setting: string, who: string, wanted: string): Danger => ({
    setting,
    text: `${setting} is *: ${who} may ${reached}`,
    remedy: `name the ${wanted} in --${setting}`,
  })
  return [
    ...(cors.includes('*')
      ? [danger('json-rpc.cors', 'every web page that a browser on this machine shows', 'origins')]
      : []),
    ...(vhosts.includes('*')
      ? [danger('json-rpc.vhosts', 'a web page that rebinds its name to this machine', 'host names')]
      : []),
  ]
}
