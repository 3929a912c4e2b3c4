import { expect, test } from 'vitest'
import { isMempoolAnswer, readMempoolError } from './mempoolErrors.ts'

test.each([
  ['tx already exists in cache', 'seen'],
  ['tx already seen', 'seen'],
  ['broadcast error on transaction validation: transaction already in mempool, not adding it again', 'seen'],
  ['mempool is full: number of txs 5000 (max: 5000), total txs bytes 1 (max: 2)', 'full'],
  ['mempool is still rechecking after a new committed block, so it is considered as full', 'full'],
  ['Tx too large. Max size is 1048576, but got 2000000', 'too large'],
  ['tx size is too big: 9, max: 8', 'too large'],
  ['tx pre check: gas wanted 9 is greater than max gas 8', 'excluded'],
  ['broadcast error on transaction validation: gas wanted 9 is greater than max gas 8', 'excluded'],
  ['endpoint is closed while node is catching up', 'closed'],
  ['appConn mempool: EOF', 'closed'],
  ['broadcast confirmation not received: context deadline exceeded', undefined],
  ['broadcast error on transaction validation: EOF', undefined],
  ['proxy: tx already exists in cache of 3 backends', undefined],
  ['nonce too low', undefined],
  ['no reason given', undefined],
])('%s', (text, kind) => {
  expect(readMempoolError(text)?.kind).toBe(kind)
  expect(isMempoolAnswer(text)).toBe(kind !== undefined && kind !== 'closed')
})

test('the result of CheckTx is read from the error of CometBFT 1.0, also if the error was cut', () => {
  const text =
    "broadcast error on transaction validation: tx 0AFF is invalid: code=5, data=, log='it's 'so'', codespace='sdk'"
  expect(readMempoolError(text)).toEqual({ kind: 'checked', code: 5, codespace: 'sdk', log: "it's 'so'" })
  expect(readMempoolError(text.slice(0, -18))).toMatchObject({ kind: 'checked', code: 5, codespace: '' })
})
