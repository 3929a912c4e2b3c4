import { blobBaseFee } from '../../chain/fees/blobGas.ts'
import type { BlockContext } from '../types.ts'

/** Returns the price of blob gas in a block; zero before Cancun. */
export const blockBlobBaseFee = (block: BlockContext): bigint => {
  const { excessBlobGas, blobParameters } = block
  if (block.blobBaseFee !== undefined) return block.blobBaseFee
  return excessBlobGas === undefined || blobParameters === undefined
    ? 0n
    : blobBaseFee(excessBlobGas, blobParameters)
}
