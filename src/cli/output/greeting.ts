import { homedir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../base/encoding/hex.ts'
import { version } from '../../base/version.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import { isDevProfile, servesExplorer } from '../../config/rules/profile.ts'
import { type Config, settings } from '../../config/settings/settings.ts'
import { keyToAddress } from '../../keystore/wallets/knownKeys.ts'
import { deriveDevKeys } from '../../service/genesis/devAccounts.ts'
import type { Service } from '../../service/start/startService.ts'
import type { Paint } from './paint.ts'

export interface GreetingFacts {
  readonly chainId: bigint
  readonly height: number
  readonly mode: string
  /** Whether this start began the chain. */
  readonly isNew: boolean
  readonly http: string | undefined
  readonly ws: string | undefined
}

/** From so many columns on an account and its key have one line. */
const wideColumns = 120

/** Returns what a person sees first: where to connect, the accounts, where the data is and how to start over. */
export const renderGreeting = (
  config: Config,
  facts: GreetingFacts,
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): string => {
  const { chainId, height, mode, isNew, http, ws } = facts
  const state = isNew ? 'new, at block 0' : `at block ${height}`
  const rows: (readonly [string, string | undefined])[] = [
    ['Explorer', servesExplorer(config) ? explorerAddress(http) : undefined],
    ['HTTP', http],
    ['WebSocket', ws?.replace('//0.0.0.0:', '//127.0.0.1:')],
    ['IPC', config.ipcPath ?? join(config.home, 'perihelion.ipc')],
    ['Chain id', `${chainId}`],
    ['Chain', `${modeNames[mode] ?? mode}, ${state}`],
    ['Data', describeData(config, isNew)],
    ['Start over', describeReset(config)],
    ['Mnemonic', isKnownDev(config) ? config.mnemonic : undefined],
    ['Help', 'perihelion status, perihelion doctor; Ctrl-C stops'],
  ]
  const lines = rows.flatMap(([label, text]) =>
    text === undefined ? [] : [`  ${paint('dim', label.padEnd(10))} ${text}`],
  )
  return `${paint('bold', `perihelion ${version}`)}\n\n${lines.join('\n')}\n\n${renderAccounts(config, isNew, paint, columns)}`
}

/** The address as a browser on this machine opens it. */
const explorerAddress = (http: string | undefined): string | undefined =>
  http === undefined ? undefined : `${http.replace(/\/\/(?:0\.0\.0\.0|\[::\]):/, '//127.0.0.1:')}/`

const modeNames: Readonly<Record<string, string>> = {
  embedded: 'produces blocks itself',
  cometbft: 'CometBFT decides the blocks',
  none: 'served only, no new blocks',
  gateway: 'a gateway to another chain',
}

const describeData = ({ ephemeral, home }: Config, isNew: boolean): string => {
  if (ephemeral) return 'deleted on exit (--ephemeral)'
  return isNew ? `${home}  (later starts go on with it)` : home
}

const describeReset = ({ ephemeral, home }: Config): string | undefined => {
  if (ephemeral) return undefined
  return `perihelion reset${home === join(homedir(), '.perihelion') ? '' : ` --home ${home}`}`
}

/** Whether the keys of the unlocked accounts are public. */
const isKnownDev = (config: Config): boolean =>
  isDevProfile(config) && config.accounts > 0 && config.mnemonic === settings.mnemonic.default

/** The accounts, with their keys if these are public. */
const renderAccounts = (config: Config, isNew: boolean, paint: Paint, columns: number): string => {
  if (!isDevProfile(config) || config.accounts === 0) return ''
  if (!isKnownDev(config)) return `  ${config.accounts} accounts of your mnemonic are unlocked.\n\n`
  const state = isNew ? `unlocked, ${config.balance} ETH each` : 'unlocked'
  return renderKeys(state, deriveDevKeys(config).accounts, paint, columns)
}

/** Returns accounts with their public keys for tests; `state` says what they are. */
export const renderKeys = (
  state: string,
  accounts: readonly Uint8Array[],
  paint: Paint,
  columns: number,
): string => {
  const rows = accounts.map((key, index) => ({
    number: `(${index})`.padStart(String(accounts.length - 1).length + 2),
    address: toChecksumAddress(keyToAddress(key)),
    key: toHex(key),
  }))
  const heading = `${paint('bold', 'Accounts')}, ${state} ${paint('yellow', '(public keys: for tests only)')}`
  const keys = `${paint('bold', 'Private keys')}`
  if (columns >= wideColumns)
    return `${heading}\n${rows.map(({ number, address, key }) => `  ${number} ${address}  ${paint('dim', key)}\n`).join('')}\n`
  return (
    `${heading}\n${rows.map(({ number, address }) => `  ${number} ${address}\n`).join('')}` +
    `${keys}\n${rows.map(({ number, key }) => `  ${number} ${key}\n`).join('')}\n`
  )
}

/** Collects what a greeting says about a service. */
export const greetingFacts = (service: Service): GreetingFacts => {
  const { chain, welcome } = service.served
  const { http, ws } = service.urls()
  return {
    chainId: chain.config.chainId,
    height: chain.head().number,
    mode: chain.mode,
    isNew: welcome !== undefined,
    http,
    ws,
  }
}
