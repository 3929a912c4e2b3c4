import { expect, test } from 'vitest'
import { addTransactionHashes } from './blockTraces.ts'

const hashes = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const named = (text: string): unknown => {
  const answer = addTransactionHashes(Buffer.from(text), hashes)
  return answer && JSON.parse(Buffer.from(answer).toString())
}

test('each trace gets the hash of its transaction, and is otherwise as it came', () => {
  const text = '[{"result":{"a":["]}","\\\\\\"{"],"n":123456789012345678901234567890}}, {"error":"x"}]'
  const answer = addTransactionHashes(Buffer.from(text), hashes)
  expect(String(answer)).toBe(
    `[{"txHash":"0x${'01'.repeat(32)}","result":{"a":["]}","\\\\\\"{"],"n":123456789012345678901234567890}}, ` +
      `{"txHash":"0x${'02'.repeat(32)}","error":"x"}]`,
  )
})

test('a trace that says nothing still has its hash', () => {
  expect(named('[{},{}]')).toEqual([{ txHash: `0x${'01'.repeat(32)}` }, { txHash: `0x${'02'.repeat(32)}` }])
})

test.each(['[]', '[{}]', '[{},{},{}]', '[[],[]]', '[{},{}', '[{},{},{}', '[{},{"a'])(
  '%s is not a result for two',
  (text) => {
    expect(named(text)).toBeUndefined()
  },
)
