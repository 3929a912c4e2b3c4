import type { Receipt } from '../rpc/types.ts'
import { toBig } from './numbers.ts'

type Fees = Pick<Receipt, 'gasUsed' | 'effectiveGasPrice' | 'blobGasUsed' | 'blobGasPrice'>

/** What a transaction paid for the gas of its blobs (EIP-4844), which has a price of its own. */
export const blobFeeOf = ({ blobGasUsed, blobGasPrice }: Fees): bigint =>
  toBig(blobGasUsed) * toBig(blobGasPrice)

/** All that a transaction paid. */
export const feeOf = (receipt: Fees): bigint =>
  toBig(receipt.gasUsed) * toBig(receipt.effectiveGasPrice) + blobFeeOf(receipt)
