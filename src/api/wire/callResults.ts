import { z } from 'zod'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { AccessListOutcome, CallOutcome } from '../../chain/port/executor.ts'
import { plainType } from '../../rpc/wireType.ts'
import { addressText, dataText, word32Text } from './data.ts'
import { uint64Text } from './quantity.ts'

const accessListAndGas = z
  .object({
    accessList: z.array(z.object({ address: addressText, storageKeys: z.array(word32Text) })),
    gasUsed: uint64Text.describe('With the list'),
    error: z.string().optional().describe('Where the call fails'),
  })
  .meta({ id: 'AccessListResult', title: 'access list and gas' })

export const AccessListResult = plainType(accessListAndGas)

export const toAccessListResult = ({ accessList, gasUsed, error }: AccessListOutcome) => ({
  accessList: accessList.map(({ address, storageKeys }) => ({
    address: toHex(address),
    storageKeys: storageKeys.map(toHex),
  })),
  ...(error === undefined ? {} : { error }),
  gasUsed: toQuantity(gasUsed),
})

const called = z.union([z.object({ value: dataText }), z.object({ error: z.string() })])

/** The results of the calls, in one list for each bundle. */
export const BundleResults = plainType(
  z.array(z.array(called)).meta({ id: 'BundleResults', title: 'results of bundles' }),
)

export const toCallResult = (outcome: CallOutcome | string) => {
  if (typeof outcome === 'string') return { error: outcome }
  const { isSuccess, output, error } = outcome
  return isSuccess ? { value: toHex(output) } : { error: error ?? 'execution failed' }
}
