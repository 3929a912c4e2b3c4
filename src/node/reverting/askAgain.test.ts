import { expect, test } from 'vitest'
import { headerNotFound } from '../../chain/chainError.ts'
import type { FeeHistory, Fees } from '../../chain/port/fees.ts'
import { historyAgain } from './askAgain.ts'
import { RevertWatch } from './revertWatch.ts'

const history = { oldest: 1 } as FeeHistory
const newest = { kind: 'number', number: 1n } as const
const unused = () => {
  throw new Error('not used')
}

/** Fees whose history meets a block that is gone so many times, each after `before`. */
const feesThatFail = (times: number, before: () => Promise<void>): Fees => ({
  ...{ suggestTip: unused, nextBaseFee: unused, blobBaseFee: unused },
  history: async () => {
    await before()
    if (times-- > 0) throw headerNotFound()
    return history
  },
})

test('a fee history is requested again on the new head when blocks were removed while it was read', async () => {
  const reverts = new RevertWatch()
  const fees = historyAgain(
    feesThatFail(1, () => reverts.watch(async () => {})),
    reverts,
  )
  await expect(fees.history(1, newest, undefined, undefined as never)).resolves.toBe(history)
})

test('a block that was never there is an error', async () => {
  const fees = historyAgain(
    feesThatFail(1, async () => {}),
    new RevertWatch(),
  )
  await expect(fees.history(1, newest, undefined, undefined as never)).rejects.toThrow('header not found')
})
