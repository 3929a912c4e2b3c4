import { toHex } from '../../../base/encoding/hex.ts'
import { version } from '../../../base/version.ts'
import { toChecksumAddress } from '../../../chain/address.ts'
import { keyToAddress } from '../../../keystore/wallets/knownKeys.ts'

/** What anvil prints at its start, and writes with `--config-out`. */
export interface AnvilFacts {
  /** The private keys of the accounts. */
  readonly keys: readonly Uint8Array[]
  /** The balance of each account in whole coins. */
  readonly balance: bigint
  readonly mnemonic: string
  readonly derivationPath: string
  readonly chainId: bigint
  /** The base fee of the genesis block; undefined before London. */
  readonly baseFee: bigint | undefined
  readonly gasPrice: bigint
  readonly gasLimit: bigint
  readonly timestamp: bigint
  /** The remote chain that is forked; its URL has no keys. */
  readonly fork?:
    | { readonly url: string; readonly chainId: bigint; readonly number: number; readonly hash: Uint8Array }
    | undefined
}

const heading = (text: string): string => `${text}\n==================\n`

const numbered = (lines: readonly string[]): string =>
  lines.map((line, index) => `(${index}) ${line}\n`).join('')

const addressesOf = (keys: readonly Uint8Array[]): string[] =>
  keys.map((key) => toChecksumAddress(keyToAddress(key)))

/** Returns the path with a slash at its end, as anvil shows it. */
const shownPath = (path: string): string => (path.endsWith('/') ? path : `${path}/`)

/** Returns the text in anvil's form, which programs that start it read for the keys. */
export const renderBanner = (facts: AnvilFacts): string => {
  const { keys, balance, mnemonic, derivationPath, chainId, baseFee, gasPrice, gasLimit, timestamp } = facts
  const accounts = addressesOf(keys).map((address) => `${address} (${balance}.000000000000000000 ETH)`)
  const { fork } = facts
  const forked =
    fork === undefined
      ? []
      : [
          `${heading('Fork')}Endpoint:       ${fork.url}\nBlock number:   ${fork.number}\nBlock hash:     ${toHex(fork.hash)}\nChain ID:       ${fork.chainId}\n`,
        ]
  const sections = [
    `    perihelion ${version}, with the flags of anvil\n`,
    `${heading('Available Accounts')}\n${numbered(accounts)}`,
    `${heading('Private Keys')}\n${numbered(keys.map(toHex))}`,
    `${heading('Wallet')}Mnemonic:          ${mnemonic}\nDerivation path:   ${shownPath(derivationPath)}\n\n`,
    ...forked,
    `${heading('Chain ID')}\n${chainId}\n`,
    baseFee === undefined ? `${heading('Gas Price')}\n${gasPrice}\n` : `${heading('Base Fee')}\n${baseFee}\n`,
    `${heading('Gas Limit')}\n${gasLimit}\n`,
    `${heading('Genesis Timestamp')}\n${timestamp}\n`,
    `${heading('Genesis Number')}\n${fork?.number ?? 0}\n`,
  ]
  return `\n\n${sections.join('\n')}\n`
}

/** Returns the content of the file of `--config-out`. */
export const renderConfig = (facts: AnvilFacts): string =>
  JSON.stringify({
    available_accounts: facts.keys.map((key) => toHex(keyToAddress(key))),
    private_keys: facts.keys.map(toHex),
    wallet: { derivation_path: shownPath(facts.derivationPath), mnemonic: facts.mnemonic },
    base_fee: String(facts.baseFee ?? 0n),
    gas_price: String(facts.gasPrice),
    gas_limit: String(facts.gasLimit),
    genesis_timestamp: String(facts.timestamp),
  })
