import { badUsage } from '../../../base/exit.ts'
import { editDistance, nearestName } from '../../../config/settings/names.ts'

/** One flag of anvil. */
interface AnvilFlag {
  /** A single letter. */
  readonly short?: string
  /** Other long names. */
  readonly aliases?: readonly string[]
  /** What follows the flag, such as `NUM`; undefined for a switch. */
  readonly value?: string
  readonly isValueOptional?: true
  /** Whether all values of a flag that is given more than once count, one to a line. */
  readonly isRepeatable?: true
  readonly about: string
  /** Whether it changes nothing here, because what it limits or enables is so anyway. */
  readonly isNoop?: true
  /** Why it cannot be honoured. */
  readonly refusal?: string
}

const evmLimit = 'the rules of the EVM cannot be loosened yet'

/** anvil's flags by their long names. */
const table = {
  port: { short: 'p', value: 'NUM', about: 'The port to listen on, 8545 if missing; 0 takes a free one.' },
  host: {
    value: 'IP_ADDR',
    about: 'The address to listen on, 127.0.0.1 if missing (environment: ANVIL_IP_ADDR).',
  },
  accounts: { short: 'a', value: 'NUM', about: 'The number of accounts, 10 if missing.' },
  balance: { value: 'NUM', about: 'The balance of each account in whole coins, 10000 if missing.' },
  mnemonic: { short: 'm', value: 'WORDS', about: 'The words from which the accounts are derived.' },
  'mnemonic-random': {
    value: 'WORDS',
    isValueOptional: true,
    about: 'Derives the accounts from new words; 12 of them if no number is given.',
  },
  'mnemonic-seed-unsafe': {
    value: 'SEED',
    about: 'Derives the words from a seed.',
    refusal: "only anvil's own generator makes its words from a seed: give them with --mnemonic",
  },
  'derivation-path': { value: 'PATH', about: "The path of the accounts, m/44'/60'/0'/0/ if missing." },
  timestamp: { value: 'NUM', about: 'The time of the genesis block, in seconds since 1970; now if missing.' },
  number: {
    value: 'NUM',
    about: 'The number of the first block.',
    refusal: 'a chain begins with block 0 here',
  },
  'chain-id': { value: 'CHAIN_ID', about: 'The chain id, 31337 if missing.' },
  hardfork: { value: 'HARDFORK', about: 'The rules of the EVM, such as prague; the newest if missing.' },
  'gas-limit': {
    aliases: ['block-gas-limit'],
    value: 'GAS_LIMIT',
    about: 'The gas limit of a block, 30000000 if missing.',
  },
  'base-fee': {
    aliases: ['block-base-fee-per-gas'],
    value: 'FEE',
    about: 'The base fee of the first block in wei, 1000000000 if missing.',
  },
  'gas-price': { value: 'GAS_PRICE', about: 'The price of gas in wei, before London.' },
  'block-time': {
    short: 'b',
    aliases: ['blockTime'],
    value: 'SECONDS',
    about: 'The time between two blocks; if missing, each transaction gets a block at once.',
  },
  'no-mining': { aliases: ['no-mine'], about: 'Makes blocks only when evm_mine asks for one.' },
  'mixed-mining': {
    about: 'Makes a block at once and at the interval.',
    refusal: 'it is one or the other here: leave out --block-time or --mixed-mining',
  },
  'slots-in-an-epoch': {
    value: 'SLOTS',
    about: 'How far behind the safe and the finalized block are.',
    refusal: 'every block is final at once here',
  },
  order: { value: 'ORDER', about: 'Whose transactions are first: fees (who pays most) or fifo.' },
  'auto-impersonate': { aliases: ['auto-unlock'], about: 'Lets every account send without a signature.' },
  'steps-tracing': { aliases: ['tracing'], isNoop: true, about: 'Every transaction can be traced anyway.' },
  'print-traces': {
    aliases: ['enable-trace-printing'],
    about: 'Prints the trace of every transaction.',
    refusal: 'ask for it with debug_traceTransaction',
  },
  'disable-console-log': { aliases: ['no-console-log'], about: 'Does not print what console.log writes.' },
  'code-size-limit': { value: 'CODE_SIZE', about: 'The largest contract in bytes, up to 262144.' },
  'disable-code-size-limit': { about: 'Allows contracts of up to 262144 bytes.' },
  'disable-block-gas-limit': {
    about: 'Allows calls of any gas.',
    refusal: 'set a large one with --gas-limit',
  },
  'enable-tx-gas-limit': {
    aliases: ['tx-gas-limit'],
    about: 'Allows a transaction at most the gas of EIP-7825, a rule of Osaka.',
  },
  'disable-min-priority-fee': {
    aliases: ['no-priority-fee'],
    isNoop: true,
    about: 'There is no least priority fee here.',
  },
  'disable-default-create2-deployer': {
    aliases: ['no-create2'],
    about: 'Begins without the CREATE2 deployer.',
    refusal: 'the CREATE2 deployer is part of the genesis here',
  },
  'disable-pool-balance-checks': {
    about: 'Accepts transactions that their sender cannot pay.',
    refusal: evmLimit,
  },
  'memory-limit': { value: 'MEMORY_LIMIT', about: 'The memory of a call in bytes.', refusal: evmLimit },
  'prune-history': {
    value: 'STATES',
    isValueOptional: true,
    isNoop: true,
    about: 'States are on the disk here, and cost no memory.',
  },
  'max-persisted-states': { value: 'STATES', isNoop: true, about: 'As above.' },
  'cache-path': { value: 'PATH', isNoop: true, about: 'Where anvil keeps such states.' },
  'max-transactions': {
    value: 'NUM',
    about: 'The most transactions of a block.',
    refusal: 'a block holds what its gas limit allows',
  },
  'preserve-historical-states': { isNoop: true, about: 'They are kept anyway.' },
  'transaction-block-keeper': { value: 'BLOCKS', isNoop: true, about: 'Blocks are on the disk too.' },
  threads: {
    short: 'j',
    aliases: ['jobs'],
    value: 'THREADS',
    isNoop: true,
    about: 'Threads are started as needed.',
  },
  state: {
    value: 'PATH',
    about:
      'A file to load the state from, if it is there, and dump it to. A fork: perihelion start --home DIR --fork-url URL.',
  },
  'state-interval': {
    short: 's',
    value: 'SECONDS',
    about: 'How often the state is dumped while the node runs, 60 if missing.',
  },
  'dump-state': {
    value: 'PATH',
    about: 'A file, or the folder of a state.json, to which the state is dumped.',
  },
  'load-state': { value: 'PATH', about: 'A file from which the state is loaded.' },
  init: {
    value: 'PATH',
    about: 'A genesis file.',
    refusal: 'its accounts would get no balance here: use perihelion start --genesis',
  },
  ipc: {
    aliases: ['ipcpath'],
    value: 'PATH',
    isValueOptional: true,
    about: 'Listens on an IPC socket too, at /tmp/anvil.ipc if no path is given.',
  },
  'config-out': { value: 'FILE', about: 'A file to which accounts and settings are written as JSON.' },
  'allow-origin': { value: 'ORIGIN', about: 'The origin of web pages that may call; every one if missing.' },
  'no-cors': { about: 'Lets no web page call.' },
  'no-request-size-limit': { about: 'Takes requests of up to 128 MB.' },
  artifacts: {
    value: 'DIR',
    about:
      "The folder of a compiler (out/, artifacts/): failures show where in the source. Not one of anvil's.",
  },
  silent: { short: 'q', aliases: ['quiet'], about: 'Prints nothing.' },
  color: { value: 'WHEN', isNoop: true, about: 'Colours are for terminals.' },
  json: { about: 'Prints JSON.', refusal: 'use perihelion start, whose log is JSON' },
  md: { about: 'Prints Markdown.', refusal: 'there is no such output here' },
  verbosity: { short: 'v', isNoop: true, about: 'Blocks and transactions are printed anyway.' },
  'fork-url': {
    short: 'f',
    aliases: ['rpc-url'],
    value: 'URL',
    about: 'The node (http or https) whose chain is forked; URL@1234 names the block too.',
  },
  'fork-block-number': {
    value: 'BLOCK',
    about: 'The block at which it is forked, the newest if missing; -10 counts back from that.',
  },
  'fork-transaction-hash': {
    value: 'HASH',
    about: 'The transaction before which it is forked.',
    refusal: 'fork at the block before it with --fork-block-number, and send what preceded it',
  },
  'fork-chain-id': { value: 'CHAIN', about: 'The chain id, if not that of the node.' },
  'fork-header': {
    aliases: ['header'],
    value: 'HEADERS',
    isRepeatable: true,
    about: 'A header of requests to it, such as "Authorization: Bearer …"; may be given more than once.',
  },
  'fork-retry-backoff': {
    value: 'BACKOFF',
    about:
      'The pause before a request to it is repeated, in milliseconds, 1000 if missing; it doubles each time.',
  },
  timeout: { value: 'MS', about: 'The time that a request to it may take, 45000 if missing.' },
  retries: { value: 'NUM', about: 'How often a request to it is repeated, 5 times if missing.' },
  'compute-units-per-second': {
    aliases: ['cups'],
    value: 'CUPS',
    about: 'The rate of requests once it limits them, 330 if missing.',
  },
  'no-rate-limit': { aliases: ['no-rpc-rate-limit'], about: 'Sends requests at any rate.' },
  'no-storage-caching': { about: 'Keeps nothing of what was read for the next fork of the same block.' },
  optimism: { about: 'The rules of Optimism.', refusal: 'there are the rules of Ethereum alone' },
  network: {
    short: 'n',
    value: 'NETWORK',
    about: 'The family of networks.',
    refusal: 'there are the rules of Ethereum alone: leave it out',
  },
  celo: { about: 'The rules of Celo.', refusal: 'there are the rules of Ethereum alone' },
  odyssey: {
    aliases: ['alphanet'],
    about: 'The rules of Odyssey.',
    refusal: 'there are the rules of Ethereum alone',
  },
} as const satisfies Readonly<Record<string, AnvilFlag>>

export type AnvilFlagName = keyof typeof table

// The names are those of the literal; each value is a flag.
const entries = Object.entries(table) as unknown as readonly (readonly [AnvilFlagName, AnvilFlag])[]

const byArgument = new Map(
  entries.flatMap(([name, flag]) => {
    const long = [name, ...(flag.aliases ?? [])].map((each) => `--${each}`)
    return [...long, ...(flag.short === undefined ? [] : [`-${flag.short}`])].map(
      (argument) => [argument, [name, flag] as const] as const,
    )
  }),
)

/** The values by flag, the last one of a flag that is there more than once; empty for a switch. */
export type AnvilFlags = ReadonlyMap<AnvilFlagName, string>

/** Reads a command line as anvil does. Throws an ExitError of one line for what is not known or cannot be honoured. */
export const parseAnvilFlags = (args: readonly string[]): AnvilFlags => {
  const flags = new Map<AnvilFlagName, string>()
  for (let at = 0; at < args.length; at++) {
    const argument = args[at] as string
    const { flag: found, attached } = split(argument)
    if (found === undefined) throw badUsage(describeUnknown(argument, at + 1))
    const [name, { value, isValueOptional, isRepeatable, refusal }] = found
    if (refusal !== undefined) throw badUsage(`--${name} cannot be honoured: ${refusal}`)
    if (value === undefined) {
      if (attached !== undefined) throw badUsage(`--${name} takes no value`)
      flags.set(name, '')
      continue
    }
    const next = args[at + 1]
    const isNextValue = next !== undefined && (!next.startsWith('-') || /^-\d/.test(next))
    if (attached === undefined && !isNextValue && isValueOptional !== true)
      throw badUsage(`--${name} needs a value: <${value}>`)
    const text = attached ?? (isNextValue ? next : '')
    const before = isRepeatable === true ? flags.get(name) : undefined
    flags.set(name, before === undefined ? text : `${before}\n${text}`)
    if (attached === undefined && isNextValue) at++
  }
  return flags
}

/** Splits `--name=value`, `-nvalue` and `-vvv`. */
const split = (argument: string) => {
  const [, long, attached] = /^(--[^=]+)(?:=(.*))?$/s.exec(argument) ?? []
  if (long !== undefined) return { flag: byArgument.get(long), attached }
  if (/^-v+$/.test(argument)) return { flag: byArgument.get('-v'), attached: undefined }
  const [, short, rest] = /^(-[a-z])=?(.*)$/s.exec(argument) ?? []
  return { flag: byArgument.get(short ?? ''), attached: rest === '' ? undefined : rest }
}

/** Returns the help text of all flags. */
export const anvilHelp = (): string =>
  entries
    .map(([name, { short, aliases = [], value, isValueOptional, about, refusal }]) => {
      const label = value === undefined ? '' : isValueOptional ? ` [<${value}>]` : ` <${value}>`
      const names = [
        `${short === undefined ? '    ' : `-${short}, `}--${name}${label}`,
        ...aliases.map((alias) => `--${alias}`),
      ]
      return `  ${names.join(', ')}\n          ${refusal === undefined ? about : `${about} Rejected: ${refusal}.`}\n`
    })
    .join('')

/** Describes an unknown argument. It may be a word of a mnemonic if it is not a flag, and is not repeated then. */
const describeUnknown = (argument: string, position: number): string => {
  const help = 'perihelion anvil --help lists the flags'
  if (!argument.startsWith('-')) return `argument ${position}: unexpected, it is not a flag: ${help}`
  const flag = argument.replace(/=.*$/s, '')
  const nearest = nearestName(flag, byArgument.keys())
  const isNear = nearest !== undefined && flag.length > 3 && editDistance(flag, nearest) <= 2
  return `unexpected argument ${flag}: ${isNear ? `the nearest is ${nearest}` : help}`
}
