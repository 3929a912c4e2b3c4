import { expect, test } from 'vitest'
import { toChainError } from '../../families/queries/chainErrors.ts'
import { NativeQueryError } from './nativeQuery.ts'
import { stripErrorWrapping, toNativeQueryError, toQueryError } from './queryErrors.ts'
import { CometError } from './replyEnvelope.ts'
import { GrpcError, TransportError } from './transportErrors.ts'

const errorKindOf = (error: unknown): string => {
  const found = toQueryError(error)
  return found instanceof NativeQueryError ? `${found.kind}: ${found.message}` : `other: ${found.message}`
}

test.each([
  [
    new CometError(-32603, 'height 99 must be less than or equal to the current blockchain height 5'),
    'future height: height 99 must be less than or equal to the current blockchain height 5',
  ],
  [
    new CometError(-32603, 'height 3 is not available, lowest height is 10'),
    'pruned: height 3 is not available, lowest height is 10',
  ],
  [
    new CometError(-32603, 'could not find results for height #3'),
    'pruned: could not find results for height #3',
  ],
  [
    new CometError(-32603, 'node is not persisting finalize block responses'),
    'pruned: node is not persisting finalize block responses',
  ],
  [new CometError(-32603, 'tx (11) not found'), 'refused: tx (11) not found'],
  [new CometError(-32601, 'Method not found'), 'unknown path: Method not found'],
  [
    new GrpcError(
      2,
      'codespace sdk code 26: invalid height: cannot query with height in the future; please provide a valid height',
    ),
    'future height: invalid height: cannot query with height in the future; please provide a valid height',
  ],
  [
    new GrpcError(2, 'failed to load state at height 7; version does not exist (latest height: 90)'),
    'pruned: failed to load state at height 7; version does not exist (latest height: 90)',
  ],
  [
    toNativeQueryError('proof is unexpectedly empty; ensure height has not been pruned: invalid request'),
    'pruned: proof is unexpectedly empty; ensure height has not been pruned: invalid request',
  ],
  [
    new GrpcError(12, 'unknown service ethermint.evm.v1.Query'),
    'unknown path: unknown service ethermint.evm.v1.Query',
  ],
  [
    new GrpcError(13, 'rpc error: code = Internal desc = invalid opcode: INVALID'),
    'refused: invalid opcode: INVALID',
  ],
  [
    toNativeQueryError('runtime error: invalid memory address or nil pointer dereference: panic'),
    'unavailable: runtime error: invalid memory address or nil pointer dereference: panic',
  ],
  // A contract says what it likes.
  [
    new GrpcError(2, 'rpc error: code = Unknown desc = execution reverted: panic'),
    'refused: execution reverted: panic',
  ],
  [
    toNativeQueryError('execution reverted: version does not exist, see http://10.0.0.7:80/'),
    'refused: execution reverted: version does not exist, see http://10.0.0.7:80/',
  ],
  [new CometError(-32005, 'slow down'), 'unavailable: slow down'],
  [new CometError(-32000, 'Rate limit exceeded'), 'unavailable: Rate limit exceeded'],
  [
    // not ours: CometBFT's text
    new CometError(-32603, 'post http://node-3.internal:26657/status: dial tcp 10.0.0.7:26657: refused'),
    // not ours: CometBFT's text
    'refused: post … dial tcp … refused',
  ],
  [
    new GrpcError(
      13,
      'lookup db.internal on [fd00::2]:53: no host at cache.internal:6379 (grpc_query.go:123)',
    ),
    'refused: lookup … on …: no host at … (grpc_query.go:123)',
  ],
  [new TransportError('no response within 5 ms'), 'unavailable: no response within 5 ms'],
  [new Error('mine'), 'other: mine'],
])('%s', (error, expected) => {
  expect(errorKindOf(error)).toBe(expected)
})

test('what transports put around a message is taken off, and nothing else', () => {
  const clean = {
    'rpc error: code = Unknown desc = rpc error: code = Internal desc = out of gas: unknown request':
      'out of gas',
    'gas required exceeds allowance (21248)': 'gas required exceeds allowance (21248)',
    'a message that ends in: unknown request': 'a message that ends in: unknown request',
  }
  for (const [text, expected] of Object.entries(clean)) expect(stripErrorWrapping(text)).toBe(expected)
})

test('a caller gets an error that a node failed at the request, and not that no node is there', () => {
  const panic = toNativeQueryError('runtime error: invalid memory address or nil pointer dereference: panic')
  expect(toChainError(panic, 8, 1)).toMatchObject({
    kind: 'unavailable',
    message: 'the chain behind this gateway does not answer: its nodes fail at this request',
  })
})

test.each(['a.', 'a-', '1.1.1.1', 'http://', '[1:', 'dial tcp ', ' '])(
  'a long text of a node is shown to the end of a word, in a moment: %j again and again',
  (part) => {
    const { message } = toNativeQueryError(`failed: ${part.repeat(100_000)} at 10.0.0.7:26657`)
    expect(message.length).toBeLessThanOrEqual(16_384)
    expect(message).not.toContain('10.0.0.7')
  },
)

test('no part of an address is shown where a long text ends', () => {
  const { message } = toNativeQueryError(`failed at${' at'.repeat(5_455)} 10.0.0.7:26657 at the end`)
  expect(message).toMatch(/^failed at( at)+$/)
})
