import { type Fork, since } from './forks.ts'
import { GenesisError, type JsonObject, parseInteger, parseObject } from './gethJson.ts'

/** The least gas limit of a block of Ethereum. */
export const leastBlockGas = 5_000n

/** What a chain allows at most, where its genesis may differ from Ethereum's mainnet (`config.perihelion.limits`). */
export interface ChainLimits {
  /** The bytes of a contract's code (EIP-170). */
  readonly codeSize: number
  /** The gas of a transaction from Osaka on (EIP-7825); undefined for as much as the EVM has memory for. */
  readonly transactionGas: bigint | undefined
}

export const ethereumLimits: ChainLimits = { codeSize: 24_576, transactionGas: 16_777_216n }

/**
 * The largest code sizes: what creates code must fit into a transaction, and a chain with validators carries none of over
 * 128 KiB between them.
 */
export const largestCodeSize = 2 ** 18
const largestCarriedCodeSize = 48 * 1024

/** The names of the members, in `config.perihelion.limits`. */
export const limitMembers: ReadonlySet<string> = new Set(['codeSize', 'transactionGas'])

/** Returns the bytes that init code may have from Shanghai on: twice those of code (EIP-3860). */
export const initCodeSize = ({ codeSize }: ChainLimits): number => 2 * codeSize

/**
 * The most gas of a transaction on a chain without a limit of its own: whatever such a one does, the EVM's memory of two
 * gigabytes holds it.
 */
const mostTransactionGas = 1_000_000_000n

/** Returns the most gas of a transaction; undefined before Osaka, where the block's gas limit alone counts. */
export const transactionGasCap = (
  { transactionGas = mostTransactionGas }: ChainLimits,
  fork: Fork,
): bigint | undefined => (since(fork, 'osaka') ? transactionGas : undefined)

/** Returns the limits as a configuration names them; undefined if they are Ethereum's. */
export const describeLimits = ({ codeSize, transactionGas }: ChainLimits): JsonObject | undefined => {
  const members = {
    ...(codeSize === ethereumLimits.codeSize ? {} : { codeSize }),
    ...(transactionGas === ethereumLimits.transactionGas
      ? {}
      : { transactionGas: Number(transactionGas ?? 0n) }),
  }
  return Object.keys(members).length === 0 ? undefined : members
}

/** Parses the limits of a configuration; those that it does not name are Ethereum's. A gas of zero means no limit. */
export const parseLimits = (config: JsonObject): ChainLimits => {
  if (config.perihelion === undefined) return ethereumLimits
  const { limits, validators } = parseObject(config.perihelion, 'config.perihelion')
  if (limits === undefined) return ethereumLimits
  const members = parseObject(limits, 'config.perihelion.limits')
  const read = (name: string): bigint | undefined =>
    parseInteger(members[name], `config.perihelion.limits.${name}`)
  const codeSize = Number(read('codeSize') ?? ethereumLimits.codeSize)
  const transactionGas = read('transactionGas') ?? ethereumLimits.transactionGas
  const largest = validators === undefined ? largestCodeSize : largestCarriedCodeSize
  if (codeSize < 1 || codeSize > largest)
    throw new GenesisError(`config.perihelion.limits.codeSize is ${codeSize}: 1 to ${largest} is possible`)
  if (transactionGas !== undefined && transactionGas > mostTransactionGas)
    throw new GenesisError(
      `config.perihelion.limits.transactionGas is ${transactionGas}: at most ${mostTransactionGas} is possible`,
    )
  return { codeSize, transactionGas: transactionGas === 0n ? undefined : transactionGas }
}
