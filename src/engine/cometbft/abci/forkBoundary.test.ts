import { describe, expect, it } from 'vitest'
import { deposits, withDepositContract } from '../../../../test/support/depositContract.ts'
import {
  addressOf,
  createCandidate,
  signCandidate,
  testChainId,
} from '../../../../test/support/signedCandidates.ts'
import { clock, decide, openValidator, useValidators } from '../../../../test/support/validators.ts'
import { signAuthorization } from '../../../chain/transaction/signature.ts'

useValidators()

const forkTime = 2_000

const setCode = signCandidate(0, {
  type: 4,
  chainId: testChainId,
  nonce: 0n,
  maxPriorityFeePerGas: 10n ** 9n,
  maxFeePerGas: 10n ** 10n,
  gasLimit: 100_000n,
  to: addressOf(5),
  value: 0n,
  data: new Uint8Array(0),
  accessList: [],
  authorizations: [
    signAuthorization({ chainId: testChainId, address: addressOf(6), nonce: 0n }, new Uint8Array(32).fill(8)),
  ],
})

describe('the boundary of a fork', () => {
  it('does not stop a network that was down when the fork began', async () => {
    const validators = [
      await openValidator('cancun', { pragueTime: forkTime }),
      await openValidator('cancun', { pragueTime: forkTime }),
    ] as const
    clock.now = 1_500
    await decide(validators, 1, 1_500)
    // Both stop, and one starts after the fork's time. The engine's next block still has the time of the last votes.
    clock.now = 3_000
    await validators[0].restart()
    expect(await validators[0].submit(setCode)).toBeUndefined()
    expect(await validators[0].submit(createCandidate(1, 0n))).toBeUndefined()
    expect(await decide(validators, 2, 1_501)).toBe(1)
    expect(await decide(validators, 3, 1_501)).toBe(0)
    expect(validators[0].pool.get(setCode.hash)).toBeDefined()
    // The votes of now: the block is past the fork.
    expect(await decide(validators, 4, 3_000)).toBe(1)
    expect(validators[0].pool.counts).toEqual({ pending: 0, queued: 0 })
  })

  it('drops what a fork forbids, and what came before it at the old rules does not stop the chain', async () => {
    const validators = [
      await openValidator('prague', { osakaTime: forkTime }),
      await openValidator('prague', { osakaTime: forkTime }),
    ] as const
    clock.now = 1_999
    const heavy = createCandidate(0, 0n, { gasLimit: 20_000_000n })
    expect(await validators[0].submit(heavy)).toBeUndefined()
    expect(await validators[0].submit(createCandidate(0, 1n))).toBeUndefined()
    // The engine's clock is ahead of this node's.
    expect(await decide(validators, 1, forkTime)).toBe(0)
    expect(validators[0].pool.get(heavy.hash)).toBeUndefined()
    expect(await validators[0].submit(createCandidate(0, 0n))).toBeUndefined()
    expect(await decide(validators, 2, forkTime)).toBe(2)
  })

  it('is followed by a pool that no head reaches', async () => {
    const validator = await openValidator('prague', { osakaTime: forkTime })
    clock.now = 1_999
    const heavy = createCandidate(0, 0n, { gasLimit: 20_000_000n })
    expect(await validator.submit(heavy)).toBeUndefined()
    clock.now = forkTime
    expect(await validator.submit(createCandidate(1, 0n, { gasLimit: 20_000_000n }))).toMatch(
      /^transaction gas limit too high/,
    )
    expect(validator.pool.counts).toEqual({ pending: 0, queued: 0 })
  })

  it('stops a node before a fork that it does not know, and lets the engine have no response', async () => {
    const validator = await openValidator('prague', {})
    const known = validator.config.activations.flatMap(({ name, by, at }) =>
      by === 'time' ? [{ name, time: at, version: '' }] : [],
    )
    validator.config.follow([...known, { name: 'amsterdam', time: 2_000n, version: '9.8.7' }])
    expect(await decide([validator], 1, 1_999)).toBe(0)
    let answers = 0
    const calls = ['prepareProposal', 'processProposal', 'finalizeBlock'] as const
    for (const name of calls) {
      const request = { height: 2n, time: { seconds: 2_000n, nanos: 0 }, txs: [], maxTxBytes: 1_000_000n }
      const handle = validator.handler[name] as (request: unknown) => Promise<unknown>
      void handle(request).finally(() => answers++)
      await expect.poll(() => validator.stopped.length).toBe(calls.indexOf(name) + 1)
    }
    expect(answers).toBe(0)
    expect(validator.stopped[0]).toMatch(/^this node stops here: the fork amsterdam, at time 2000, .*9\.8\.7/)
  })
})

describe('a decided transaction that execution excludes', () => {
  it('leaves the pools of all nodes, and is not proposed again', async () => {
    const validators = [
      await openValidator('prague', {}, withDepositContract),
      await openValidator('prague', {}, withDepositContract),
    ] as const
    clock.now = 1_500
    const bad = createCandidate(0, 0n, { to: deposits, gasLimit: 100_000n })
    const behind = createCandidate(0, 1n)
    for (const { submit } of validators) {
      expect(await submit(bad)).toBeUndefined()
      expect(await submit(behind)).toBeUndefined()
    }
    expect(await decide(validators, 1, 1_500)).toBe(2)
    for (const { pool } of validators) {
      expect(pool.get(bad.hash)).toBeUndefined()
      // What only lacks its nonce waits for another that has it.
      expect(pool.counts).toEqual({ pending: 0, queued: 1 })
    }
    expect(await decide(validators, 2, 1_501)).toBe(0)
    expect(await validators[0].submit(createCandidate(0, 0n))).toBeUndefined()
    expect(await decide(validators, 3, 1_502)).toBe(2)
  })
})
