import { expect, test } from 'vitest'
import { TransportError } from '../../comet/data/transportErrors.ts'
import { CircuitBreaker } from '../upstreams/circuitBreaker.ts'
import { FollowLoop } from './followLoop.ts'
import type { FollowDependencies, FollowOptions } from './followOptions.ts'
import { createThreadLog } from './threadLog.ts'

/** Follows nodes of which none answers, for some attempts, and returns what is logged of it. */
const followAbsent = async (nodes: readonly string[]): Promise<readonly string[]> => {
  const ending = new AbortController()
  const told: string[] = []
  let attempts = 0
  const selector = {
    candidates: () => nodes.map((name) => ({ name, breaker: new CircuitBreaker() })),
    stats: () => nodes,
    attempt: async () => {
      if (++attempts === 4) ending.abort()
      throw new TransportError('connect ECONNREFUSED')
    },
  }
  const dependencies = {
    upstreams: { selector },
    writer: { discard: async () => {} },
    log: createThreadLog(({ text, fields }) => told.push(`${text}: ${(fields as { node: string }).node}`)),
  } as unknown as FollowDependencies // what the loop itself uses
  const options = { chainInfo: { nativeChainId: 'chain-1' } } as FollowOptions
  await new FollowLoop(options, dependencies, ending.signal).run()
  expect(attempts).toBe(4)
  return told
}

test('a node that stays away is reported once, and where it is the only one, no other is named', async () => {
  expect(await followAbsent(['a'])).toEqual(['the node gives no blocks: it is asked again: a'])
})

test('of several nodes each is logged', async () => {
  expect(await followAbsent(['a', 'b'])).toEqual([
    'another node is asked for blocks: a',
    'another node is asked for blocks: b',
  ])
})

test('a session with a node that was away is not the one call that tries it', async () => {
  const ending = new AbortController()
  const breaker = new CircuitBreaker()
  for (let failure = 0; failure < 5; failure++) breaker.onFailure(0)
  const mayBeAsked: boolean[] = []
  const upstream = { name: 'a', breaker }
  const selector = {
    candidates: () => [upstream],
    stats: () => [upstream],
    check: () => selector.attempt(upstream, async () => {}),
    attempt: async (_: unknown, work: () => Promise<unknown>) => {
      breaker.onStart()
      mayBeAsked.push(breaker.allows(Date.now()))
      if (mayBeAsked.length === 2) {
        ending.abort()
        throw new TransportError('the session ended')
      }
      await work()
      breaker.onSuccess()
    },
  }
  const dependencies = {
    upstreams: { selector },
    writer: { discard: async () => {} },
    log: createThreadLog(() => undefined),
  } as unknown as FollowDependencies // what the loop itself uses
  const options = { chainInfo: { nativeChainId: 'chain-1' } } as FollowOptions
  await new FollowLoop(options, dependencies, ending.signal).run()
  // Asked for its status, it is tried by this call alone; with the session others may ask it too.
  expect(mayBeAsked).toEqual([false, true])
})
