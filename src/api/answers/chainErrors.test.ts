import { expect, test } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import { ChainError, type ChainErrorKind } from '../../chain/chainError.ts'

const wanted: Readonly<Record<ChainErrorKind, readonly [code: number, message: string]>> = {
  'header not found': [-32000, 'header not found'],
  'state pruned': [-32002, 'said so'],
  refused: [-32000, 'said so'],
  'limit exceeded': [-32005, 'said so'],
  unsupported: [-32004, 'said so'],
  unavailable: [-32002, 'said so'],
}

const kinds = Object.keys(wanted) as ChainErrorKind[]

test.each(kinds)('%s, thrown or rejected, has its response', async (kind) => {
  const [code, message] = wanted[kind]
  const fail = (): never => {
    throw new ChainError(kind, 'said so')
  }
  for (const state of [fail, async () => fail()]) {
    const chain = fakeChain({ state })
    expect(await callApi('eth_getBalance', [`0x${'11'.repeat(20)}`], { chain })).toMatchObject({
      code,
      message,
    })
  }
})

test('what nobody knows is our error', async () => {
  const chain = fakeChain({
    state: () => {
      throw new TypeError('a detail')
    },
  })
  expect(await callApi('eth_getBalance', [`0x${'11'.repeat(20)}`], { chain })).toMatchObject({
    code: -32603,
    message: 'internal error',
  })
})
