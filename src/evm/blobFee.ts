import { blobBaseFee } from '../chain/blobGas.ts'
import type { BlockContext } from './types.ts'

/** The price of blob gas in a block; zero before Cancun. */
export const blockBlobBaseFee = ({ excessBlobGas, blobParameters }: BlockContext): bigint =>
  excessBlobGas === undefined || blobParameters === undefined
    ? 0n
    : blobBaseFee(excessBlobGas, blobParameters)
