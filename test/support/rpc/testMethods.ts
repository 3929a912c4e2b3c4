import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { RpcError } from '../../../src/rpc/errors.ts'
import { defineMethod, optionalParam, param, secretParam } from '../../../src/rpc/method.ts'
import { RawJson } from '../../../src/rpc/rawJson.ts'
import { plainType } from '../../../src/rpc/wireType.ts'

/** What the test methods record for tests. */
export interface TestContext {
  readonly heard: unknown[]
  aborted: number
  /** The calls of `test_sleep` that run. */
  sleeping: number
}

const method = defineMethod<TestContext>()
const anything = plainType(z.unknown())
const number = plainType(z.number({ error: 'expected a number' }))
const result = { name: 'result', type: anything }

const common = { summary: 'For tests.', access: 'public', result, examples: [] } as const

/** Methods without a meaning, because the protocol layer is tested without Ethereum. */
export const testMethods = [
  method({
    ...common,
    name: 'test_echo',
    params: [optionalParam('value', anything, 'Comes back.')],
    handler: ([value]) => value ?? null,
  }),
  method({
    ...common,
    name: 'test_add',
    params: [param('a', number, 'A number.'), optionalParam('b', number, 'Another; 1 where it is missing.')],
    handler: ([a, b]) => a + (b ?? 1),
  }),
  method({
    ...common,
    name: 'test_hear',
    params: [param('value', anything, 'Is remembered.')],
    handler: ([value], { heard }) => heard.push(value),
  }),
  method({
    ...common,
    name: 'test_fail',
    params: [optionalParam('data', anything, 'Goes with the error.')],
    handler: ([data]) => {
      throw new RpcError(-32000, 'failed on purpose', data)
    },
  }),
  method({
    ...common,
    name: 'test_crash',
    params: [],
    handler: () => {
      throw new TypeError('a secret detail')
    },
  }),
  method({ ...common, name: 'test_nothing', params: [], handler: () => undefined }),
  method({
    ...common,
    name: 'test_raw',
    params: [],
    handler: () => new RawJson(Buffer.from('{"as":"it is"}')),
  }),
  method({
    ...common,
    name: 'test_sleep',
    params: [param('ms', number, 'How long.')],
    handler: async ([ms], context, { signal }) => {
      context.sleeping++
      try {
        await sleep(ms, undefined, { signal })
        return ms
      } catch (error) {
        context.aborted++
        throw error
      } finally {
        context.sleeping--
      }
    },
  }),
  method({
    ...common,
    name: 'test_fill',
    params: [param('bytes', number, 'Length of the answer.')],
    handler: ([bytes]) => 'x'.repeat(bytes),
  }),
  method({ ...common, name: 'test_private', access: 'private', params: [], handler: () => true }),
  method({ ...common, name: 'test_sign', access: 'signing', params: [], handler: () => true }),
  method({
    ...common,
    name: 'test_unlock',
    params: [secretParam('password', plainType(z.string({ error: 'expected a text' })), 'Never shown.')],
    handler: () => true,
  }),
  method({ ...common, name: 'off_echo', params: [], handler: () => true }),
]
