import type { Header } from '../block/header.ts'
import type { BlobParameters } from '../config/blobParameters.ts'
import { blobParametersAt, type ChainConfig } from '../config/chainConfig.ts'
import { type Fork, since } from '../config/forks.ts'

/** The gas of one blob (EIP-4844). */
export const gasPerBlob = 131_072n
const minBlobBaseFee = 1n
/** The gas that bounds the price of blobs from below (EIP-7918). */
const blobBaseCost = 8_192n

/** Returns factor · e^(numerator / denominator) in integers (EIP-4844). */
const fakeExponential = (factor: bigint, numerator: bigint, denominator: bigint): bigint => {
  let sum = 0n
  let term = factor * denominator
  for (let step = 1n; term > 0n; step++) {
    sum += term
    term = (term * numerator) / (denominator * step)
  }
  return sum / denominator
}

/** An exponent from which on the price has more than 256 bits: nobody can pay it, and to work it out could take forever. */
const maxExponent = 178n
const unpayable = 2n ** 256n

/** Returns the price of a unit of blob gas in a block with this excess. */
export const blobBaseFee = (excessBlobGas: bigint, { baseFeeUpdateFraction }: BlobParameters): bigint =>
  excessBlobGas >= maxExponent * baseFeeUpdateFraction
    ? unpayable
    : fakeExponential(minBlobBaseFee, excessBlobGas, baseFeeUpdateFraction)

/**
 * Returns the excess blob gas of a block. The fork and the parameters are those of the block, not of its
 * parent.
 */
export const nextExcessBlobGas = (
  parent: Pick<Header, 'excessBlobGas' | 'blobGasUsed' | 'baseFeePerGas'>,
  fork: Fork,
  parameters: BlobParameters,
): bigint => {
  const excess = parent.excessBlobGas ?? 0n
  const used = parent.blobGasUsed ?? 0n
  const target = BigInt(parameters.target) * gasPerBlob
  if (excess + used < target) return 0n
  const reserve = blobBaseCost * (parent.baseFeePerGas ?? 0n)
  if (since(fork, 'osaka') && reserve > gasPerBlob * blobBaseFee(excess, parameters)) {
    const max = BigInt(parameters.max)
    return excess + (used * (max - BigInt(parameters.target))) / max // EIP-7918
  }
  return excess + used - target
}

/** Returns the price of a unit of blob gas in a block; undefined before Cancun. */
export const blobGasPrice = (
  config: ChainConfig,
  { excessBlobGas, timestamp }: Header,
): bigint | undefined => {
  const parameters = blobParametersAt(config, timestamp)
  return excessBlobGas === undefined || parameters === undefined
    ? undefined
    : blobBaseFee(excessBlobGas, parameters)
}
