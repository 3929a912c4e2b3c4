import { expect, test } from 'vitest'
import { callApi } from '../../../test/support/callApi.ts'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import type { CallOutcome, CallQuestion } from '../../chain/port/executor.ts'

const outcome: CallOutcome = {
  isSuccess: true,
  isRevert: false,
  error: undefined,
  output: Uint8Array.of(1, 2),
  gasUsed: 0n,
}

const answering = (result: Partial<CallOutcome>) =>
  fakeChain({ executor: { call: async () => ({ ...outcome, ...result }) } })

const to = `0x${'11'.repeat(20)}`

test('what a call returns', async () => {
  expect(await callApi('eth_call', [{ to }], { chain: answering({}) })).toBe('0x0102')
})

test('a revert has code 3 and its data', async () => {
  const chain = answering({ isSuccess: false, isRevert: true, error: 'execution reverted' })
  expect(await callApi('eth_call', [{ to }], { chain })).toMatchObject({
    code: 3,
    message: 'execution reverted',
    data: '0x0102',
  })
})

test('other failures have no data', async () => {
  const failed = await callApi('eth_call', [{ to }], {
    chain: answering({ isSuccess: false, error: 'out of gas' }),
  })
  expect(failed).toMatchObject({ code: -32000, message: 'out of gas', data: undefined })
})

test('overrides come with the call', async () => {
  const asked: CallQuestion[] = []
  const call = (question: CallQuestion) => {
    asked.push(question)
    return outcome
  }
  const params = [{ to }, 'latest', { [to]: { balance: '0x1' } }, { number: '0x2' }]
  expect(await callApi('eth_call', params, { chain: fakeChain({ executor: { call } }) })).toBe('0x0102')
  expect(asked).toMatchObject([{ stateOverrides: [{ balance: 1n }], blockOverrides: { number: 2n } }])
})
