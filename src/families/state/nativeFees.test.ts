import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import type { Header } from '../../chain/block/header.ts'
import { evmMethods, feemarketMethods } from '../../cosmos/queries/moduleMethods.ts'
import { ModuleQueryClient } from '../queries/moduleQueryClient.ts'
import { createNativeFeeRules } from './nativeFees.ts'

/** Returns the lowest price at a node that writes these numbers. */
const leastPrice = async (written: {
  baseFee?: string
  minGasPrice?: string
  global?: string
}): Promise<bigint> => {
  const { global: globalPrice = '', ...params } = written
  const market = toBinary(
    feemarketMethods.params.response,
    create(feemarketMethods.params.response, { params }),
  )
  const price = toBinary(
    evmMethods.globalMinGasPrice.response,
    create(evmMethods.globalMinGasPrice.response, { minGasPrice: globalPrice }),
  )
  const queries = new ModuleQueryClient(
    {
      query: async (path) => (path.endsWith('/Params') ? market : price),
      prove: () => Promise.reject(new Error('not asked')),
    },
    { evmPackage: 'evm', feemarketPackage: 'feemarket', earliestState: 1 },
  )
  const rules = createNativeFeeRules({
    queries,
    decimals: 18,
    baseFeeScale: 'decimal',
    hasGlobalMinGasPrice: true,
    head: () => ({ number: 5n }) as Header, // all that it is asked for
    header: () => undefined,
    blockFees: () => undefined,
    minimumGasPrice: 1n,
    timeoutMs: 1_000,
  })
  return rules.minGasPrice()
}

test('a missing number is zero', async () => {
  expect(await leastPrice({})).toBe(1n)
  expect(await leastPrice({ global: '7' })).toBe(7n)
})

test.each([{ baseFee: 'ten' }, { minGasPrice: '0.5' }, { global: '-' }])(
  'an invalid number of a node (%o) is not an error of this program',
  async (written) => {
    await expect(leastPrice(written)).rejects.toMatchObject({ kind: 'unavailable' })
  },
)
