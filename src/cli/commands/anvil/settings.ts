import { isIP } from 'node:net'
import { createMnemonic, isMnemonic } from '../../../base/crypto/mnemonic.ts'
import { badUsage, ExitError } from '../../../base/exit.ts'
import { largestCodeSize } from '../../../chain/config/limits.ts'
import { ConfigError } from '../../../config/configError.ts'
import type { AnvilFlagName, AnvilFlags } from './flags.ts'

/** anvil's names of forks that change no rule of the EVM, or have another name here. */
const forkAliases: Readonly<Record<string, string>> = {
  dao: 'homestead',
  tangerine: 'tangerineWhistle',
  muirglacier: 'istanbul',
  arrowglacier: 'london',
  grayglacier: 'london',
  merge: 'paris',
  latest: 'osaka',
}

/** The forks without a base fee. */
const beforeLondon =
  /^(?:frontier|homestead|dao|tangerine|tangerinewhistle|spuriousdragon|byzantium|constantinople|petersburg|istanbul|muirglacier|berlin)$/

/** anvil's defaults where those of `perihelion start` differ. */
const defaultGasLimit = 30_000_000n
const defaultCallGas = 50_000_000n
const zeroAddress = `0x${'00'.repeat(20)}`
export const defaultIpcPath = process.platform === 'win32' ? '\\\\.\\pipe\\anvil.ipc' : '/tmp/anvil.ipc'

/** Returns the settings of `perihelion start`, as flags, that mean what anvil's flags mean. */
export const toSettingFlags = (
  flags: AnvilFlags,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): string[] => {
  const gasLimit = wholeNumber(flags, 'gas-limit') ?? defaultGasLimit
  const settings: Record<string, string | undefined> = {
    home,
    ephemeral: 'true',
    accounts: wholeNumber(flags, 'accounts')?.toString(),
    balance: wholeNumber(flags, 'balance')?.toString(),
    mnemonic: readMnemonic(flags),
    'derivation-path': readPath(flags),
    'genesis-time': wholeNumber(flags, 'timestamp')?.toString(),
    'chain-id': (wholeNumber(flags, 'chain-id') ?? wholeNumber(flags, 'fork-chain-id'))?.toString(),
    'fork-name': readFork(flags),
    'genesis-gas-limit': gasLimit.toString(),
    'genesis-code-size': readCodeSize(flags),
    'genesis-transaction-gas': hasTransactionGas(flags, gasLimit) ? undefined : '0',
    'genesis-base-fee': wholeNumber(flags, 'base-fee')?.toString(),
    'minimum-gas-prices': readGasPrice(flags),
    'block-time': readBlockTime(flags),
    // As anvil has it: no account of the tests receives tips.
    coinbase: zeroAddress,
    'txpool.order': readOrder(flags),
    'log.level': flags.has('silent') ? 'error' : 'warn',
    quiet: flags.has('silent') ? 'true' : undefined,
    artifacts: flags.get('artifacts'),
    'ipc-path': flags.has('ipc') ? flags.get('ipc') || defaultIpcPath : undefined,
    ...readServer(flags, env),
    ...readRemote(flags),
    'json-rpc.gas-cap': (gasLimit > defaultCallGas ? gasLimit : defaultCallGas).toString(),
    // Nobody on this chain has anything to lose.
    'json-rpc.txfee-cap': '0',
    'json-rpc.allow-unprotected-txs': 'true',
  }
  return Object.entries(settings).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  )
}

/** What settings are called by whoever gave them as flags of anvil. */
const anvilNames: Readonly<Record<string, AnvilFlagName>> = {
  'fork-name': 'hardfork',
  'genesis-time': 'timestamp',
  'genesis-gas-limit': 'gas-limit',
  'genesis-code-size': 'code-size-limit',
  'genesis-base-fee': 'base-fee',
  'minimum-gas-prices': 'gas-price',
  'json-rpc.cors': 'allow-origin',
  'fork-block': 'fork-block-number',
  'fork-retries': 'retries',
  'fork-timeout': 'timeout',
  'ipc-path': 'ipc',
}

/** Returns an error of the settings or of a start with the flags that anvil has in their place. */
export const toWordsOfAnvil = (error: unknown): unknown => {
  if (!(error instanceof ExitError || error instanceof ConfigError)) return error
  error.message = error.message
    .replaceAll(/(is taken by another process: choose another with )--json-rpc\.address/g, '$1--port')
    .replaceAll(/(is not one of this machine: choose another with )--json-rpc\.address/g, '$1--host')
    .replaceAll(/--([a-z.-]+)(?=: )/g, (flag, name: string) =>
      Object.hasOwn(anvilNames, name) ? `--${anvilNames[name]}` : flag,
    )
  return error
}

const wholeNumber = (flags: AnvilFlags, name: AnvilFlagName): bigint | undefined => {
  const text = flags.get(name)
  if (text === undefined) return undefined
  if (!/^\d{1,16}$/.test(text))
    throw badUsage(`--${name}: got ${JSON.stringify(text)}, wanted a whole number`)
  return BigInt(text)
}

const largestCode = BigInt(largestCodeSize)

const readCodeSize = (flags: AnvilFlags): string | undefined => {
  if (flags.has('disable-code-size-limit')) return largestCode.toString()
  const size = wholeNumber(flags, 'code-size-limit')
  if (size !== undefined && size > largestCode)
    throw badUsage(`--code-size-limit: got ${size}, wanted at most ${largestCode} bytes`)
  return size?.toString()
}

/**
 * Returns whether a transaction has a limit of gas of its own (EIP-7825). anvil has none; here blocks of over a thousand
 * million need one, so that whatever a transaction does the EVM's memory holds it.
 */
const hasTransactionGas = (flags: AnvilFlags, gasLimit: bigint): boolean =>
  flags.has('enable-tx-gas-limit') || gasLimit > 1_000_000_000n

/** The flags that say something only about a fork. */
const forkFlags = [
  'fork-block-number',
  'fork-chain-id',
  'fork-header',
  'fork-retry-backoff',
  'timeout',
  'retries',
  'compute-units-per-second',
  'no-rate-limit',
  'no-storage-caching',
] as const satisfies readonly AnvilFlagName[]

/** Splits the number of the block from a URL such as `http://127.0.0.1:8545@1234`. */
const splitBlock = (url: string): { readonly url: string; readonly block: string | undefined } => {
  const [, bare, block] = /^(https?:\/\/.+)@(latest|\d+)$/s.exec(url) ?? []
  return bare === undefined
    ? { url, block: undefined }
    : { url: bare, block: block === 'latest' ? undefined : block }
}

const readRemote = (flags: AnvilFlags): Record<string, string | undefined> => {
  const given = flags.get('fork-url')
  if (given === undefined) {
    const alone = forkFlags.find((name) => flags.has(name))
    if (alone !== undefined) throw badUsage(`--${alone} needs --fork-url`)
    return {}
  }
  const { url, block } = splitBlock(given)
  // The URL may have a key in it, and is not shown.
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw badUsage('--fork-url: wanted a URL that begins with http:// or https://')
  const number = flags.get('fork-block-number') ?? block
  if (number !== undefined && !/^-?\d{1,15}$/.test(number))
    throw badUsage(`--fork-block-number: got ${JSON.stringify(number)}, wanted a whole number`)
  const milliseconds = (name: AnvilFlagName): string | undefined => {
    const value = wholeNumber(flags, name)
    return value === undefined ? undefined : `${value}ms`
  }
  const hasNoLimit = flags.has('no-rate-limit')
  return {
    'fork-url': url,
    'fork-block': number,
    'fork-header': flags.get('fork-header'),
    'fork-retries': wholeNumber(flags, 'retries')?.toString(),
    'fork-retry-backoff': milliseconds('fork-retry-backoff'),
    'fork-timeout': milliseconds('timeout'),
    'fork-compute-units': hasNoLimit ? '0' : wholeNumber(flags, 'compute-units-per-second')?.toString(),
    'fork-cache': flags.has('no-storage-caching') ? 'false' : undefined,
  }
}

const readMnemonic = (flags: AnvilFlags): string | undefined => {
  const words = flags.get('mnemonic')
  const count = flags.get('mnemonic-random')
  if (words !== undefined && count !== undefined)
    throw badUsage('--mnemonic and --mnemonic-random cannot be used together')
  // The words are a secret, and not shown.
  if (words !== undefined && !isMnemonic(words))
    throw badUsage('--mnemonic: wanted the words of a BIP-39 mnemonic')
  if (count === undefined) return words
  if (!['', '12', '15', '18', '21', '24'].includes(count))
    throw badUsage(`--mnemonic-random: got ${JSON.stringify(count)}, wanted 12, 15, 18, 21 or 24 words`)
  return createMnemonic(Number(count || 12))
}

const readPath = (flags: AnvilFlags): string | undefined => {
  const path = flags.get('derivation-path')
  if (path !== undefined && !/^m(?:\/\d{1,10}'?)*\/?$/.test(path))
    throw badUsage(`--derivation-path: got ${JSON.stringify(path)}, wanted a path such as m/44'/60'/0'/0/`)
  return path
}

const readFork = (flags: AnvilFlags): string | undefined => {
  const given = flags.get('hardfork')
  if (given === undefined) return undefined
  const name = given.toLowerCase().replaceAll(/[-_ ]/g, '')
  return forkAliases[name] ?? name
}

/** After London the base fee says what gas costs, and anvil does not look at the price any more. */
const readGasPrice = (flags: AnvilFlags): string | undefined => {
  const price = wholeNumber(flags, 'gas-price')?.toString()
  return beforeLondon.test(readFork(flags)?.toLowerCase() ?? '') ? price : undefined
}

const readBlockTime = (flags: AnvilFlags): string | undefined => {
  const seconds = flags.get('block-time')
  if (seconds === undefined) return undefined
  if (flags.has('no-mining')) throw badUsage('--no-mining and --block-time cannot be used together')
  const milliseconds = Math.round(Number(seconds) * 1000)
  if (!/^\d+(?:\.\d*)?$|^\.\d+$/.test(seconds) || milliseconds < 1)
    throw badUsage(`--block-time: got ${JSON.stringify(seconds)}, wanted a number of seconds above 0`)
  return `${milliseconds}ms`
}

const readOrder = (flags: AnvilFlags): string | undefined => {
  const order = flags.get('order')
  if (order !== undefined && order !== 'fees' && order !== 'fifo')
    throw badUsage(`--order: got ${JSON.stringify(order)}, wanted fees or fifo`)
  return order
}

/** anvil looks at no host name and by default at no origin, and whoever reaches it may do everything. */
const readServer = (
  flags: AnvilFlags,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> => {
  const host = flags.get('host') ?? env.ANVIL_IP_ADDR ?? '127.0.0.1'
  if (isIP(host) === 0) throw badUsage(`--host: got ${JSON.stringify(host)}, wanted one IP address`)
  const port = wholeNumber(flags, 'port') ?? 8545n
  if (port > 65_535n) throw badUsage(`--port: got ${port}, wanted a port`)
  const isLocal = host === '::1' || host.startsWith('127.')
  return {
    'json-rpc.address': `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    // The address of HTTP takes WebSocket upgrades too.
    'json-rpc.ws-address': '',
    'json-rpc.cors': flags.has('no-cors') ? '' : (flags.get('allow-origin') ?? '*'),
    'json-rpc.vhosts': '*',
    'json-rpc.allow-insecure-unlock': isLocal ? undefined : 'true',
    ...(flags.has('no-request-size-limit')
      ? { 'json-rpc.max-body-size': '128MB', 'json-rpc.request-memory': '1GB' }
      : {}),
  }
}
