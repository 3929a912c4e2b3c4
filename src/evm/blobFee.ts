import { type Fork, since } from '../chain/forks.ts'
import type { BlobParameters, BlockContext } from './types.ts'

/** EIP-4844. */
export const gasPerBlob = 131_072n
const minBlobBaseFee = 1n
/** EIP-7918: executing one blob's worth of calldata bounds the price of blobs from below. */
const blobBaseCost = 8_192n

/** EIP-4844: factor · e^(numerator / denominator), in integers. */
const fakeExponential = (factor: bigint, numerator: bigint, denominator: bigint): bigint => {
  let output = 0n
  let term = factor * denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}

export const blobBaseFee = (excessBlobGas: bigint, parameters: BlobParameters): bigint =>
  fakeExponential(minBlobBaseFee, excessBlobGas, parameters.baseFeeUpdateFraction)

/** The price of blob gas in a block; zero before Cancun. */
export const blockBlobBaseFee = (block: BlockContext): bigint => {
  const { excessBlobGas, blobParameters } = block
  if (block.blobBaseFee !== undefined) return block.blobBaseFee
  return excessBlobGas === undefined || blobParameters === undefined
    ? 0n
    : blobBaseFee(excessBlobGas, blobParameters)
}

interface BlobParent {
  readonly excessBlobGas: bigint
  readonly blobGasUsed: bigint
  readonly baseFee: bigint
}

/** A block's excess blob gas, from its parent and the parameters at the block (EIP-4844, EIP-7918). */
export const nextExcessBlobGas = (parent: BlobParent, fork: Fork, parameters: BlobParameters): bigint => {
  const target = BigInt(parameters.target) * gasPerBlob
  const sum = parent.excessBlobGas + parent.blobGasUsed
  if (sum < target) return 0n
  if (since(fork, 'osaka')) {
    const reserve = blobBaseCost * parent.baseFee
    if (reserve > gasPerBlob * blobBaseFee(parent.excessBlobGas, parameters)) {
      const max = BigInt(parameters.max)
      return parent.excessBlobGas + (parent.blobGasUsed * (max - BigInt(parameters.target))) / max
    }
  }
  return sum - target
}
