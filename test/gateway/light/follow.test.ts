import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { toHex } from '../../../src/base/encoding/hex.ts'
import type { TrustFileOptions } from '../../../src/gateway/trust/trustFile.ts'
import { eventually } from '../../support/eventually.ts'
import { type Following, inspect, Opened } from '../follow/harness.ts'
import { SyntheticChain, type SyntheticOptions } from '../replay/synthetic.ts'

const opened = new Opened()
afterEach(() => opened.closeAll())

const trustFile = (path: string): string => join(dirname(path), 'trust.json')

const trust = (
  path: string,
  options: Partial<TrustFileOptions> = {},
): { readonly trust: TrustFileOptions } => ({
  trust: {
    path: trustFile(path),
    root: undefined,
    trustingPeriodMs: undefined,
    maxClockDriftMs: 10_000,
    ...options,
  },
})

const chainOf = (length: number, options: Partial<SyntheticOptions> = {}): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length, content: 'empty', ...options })

const wasLogged = ({ logs }: Following, text: string): boolean => logs.some((line) => line.includes(text))

interface Commit {
  signatures: { signature: string; block_id_flag: number; validator_address: string; timestamp: string }[]
}
const alterCommit =
  (edit: (commit: Commit, height: number) => void) =>
  (method: string, result: unknown, params: Readonly<Record<string, unknown>>): unknown => {
    if (method === 'commit')
      edit((result as { signed_header: { commit: Commit } }).signed_header.commit, Number(params.height))
    return result
  }

describe('following with proofs', () => {
  it('begins with the newest block, on first use, and proves all that is below and above it', async () => {
    const chain = chainOf(300, { rotateEvery: 40 })
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [replay], { path, ...trust(path) })
    await following.until(300)
    expect(wasLogged(following, 'TRUST ON FIRST USE')).toBe(true)
    replay.grow(3)
    await following.until(303)
    expect(following.quarantined).toEqual([])
    await following.close()
    expect(JSON.parse(readFileSync(trustFile(path), 'utf8'))).toMatchObject({
      root: { height: 300, by: 'first use' },
      newest: { header: { height: '303' } },
    })
    expect(await inspect(path)).toMatchObject({ faults: [], head: 303 })
    // A commit for each 128 blocks and each new one, not for each block.
    expect(replay.asked.get('commit')).toBeLessThan(20)
  })

  it('skips from the last trusted header after a time away, by headers between if validators changed', async () => {
    const chain = chainOf(20, { rotateEvery: 10 })
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const first = await opened.follow(chain, [replay], { path, ...trust(path) })
    await first.until(20)
    await first.close()
    replay.grow(200)
    const second = await opened.follow(chain, [replay], { path, ...trust(path) })
    await second.until(220)
    expect(second.quarantined).toEqual([])
    expect(wasLogged(second, 'FIRST USE')).toBe(false)
  })

  it('takes the block of the settings as its root, and refuses a node that has another', async () => {
    const chain = chainOf(30)
    const other = chainOf(30, { seed: 2 })
    const root = { height: 25, hash: chain.built(25)?.hash as Uint8Array }
    const path = opened.folder()
    const liar = await opened.serve({ chain: other })
    const honest = await opened.serve({ chain })
    const following = await opened.follow(chain, [liar, honest], { path, ...trust(path, { root }) })
    await following.until(30)
    expect(following.quarantined).toHaveLength(1)
    expect(following.quarantined[0]).toContain('not gateway.trust-hash')
    expect(await inspect(path)).toMatchObject({ head: 30 })
  })

  it.each([
    [
      'a hash that its node does not have',
      1,
      25,
      /^block 25 is 0x[0-9a-f]{64} at each node .* gateway\.trust-hash/,
    ],
    ['a hash that none of its nodes has', 2, 25, /gateway\.trust-hash: the hash or the height is wrong/],
    ['a height above the chain', 1, 5_000_000, /^gateway\.trust-height is 5000000, and the chain is at 30/],
  ])('does not begin with %s, and blames no node', async (_, nodes, height, problem) => {
    const chain = chainOf(30)
    const replays = await Promise.all(Array.from({ length: nodes }, () => opened.serve({ chain })))
    const path = opened.folder()
    const root = { height, hash: new Uint8Array(32) }
    const following = await opened.follow(chain, replays, { path, ...trust(path, { root }) })
    await eventually(() => following.failures.length > 0)
    expect(following.failures).toMatchObject([
      { name: 'TrustError', message: expect.stringMatching(problem) },
    ])
    expect(following.quarantined).toEqual([])
  })

  it('waits for the height of the settings while a node catches up', async () => {
    const chain = chainOf(30)
    const replay = await opened.serve({ chain })
    const root = { height: 33, hash: chainOf(33).built(33)?.hash as Uint8Array }
    let isCatchingUp = true
    await replay.setFaults({
      alter: (method, result) => {
        if (method === 'status')
          (result as { sync_info: { catching_up: boolean } }).sync_info.catching_up = isCatchingUp
        return result
      },
    })
    const path = opened.folder()
    const following = await opened.follow(chain, [replay], { path, ...trust(path, { root }) })
    await eventually(() => wasLogged(following, 'it is at 30, below gateway.trust-height (33)'))
    isCatchingUp = false
    replay.grow(3)
    await following.until(33)
    expect(following.quarantined).toEqual([])
  })

  it.each<[string, (chain: SyntheticChain) => (commit: Commit, height: number) => void]>([
    [
      'a signature that is not its own',
      () =>
        ({ signatures }) => {
          for (const one of signatures) one.signature = Buffer.alloc(64, 7).toString('base64')
        },
    ],
    [
      'too few votes',
      () =>
        ({ signatures }) => {
          for (const [at, one] of signatures.entries())
            if (at > 0) Object.assign(one, { block_id_flag: 1, validator_address: '', signature: '' })
        },
    ],
    [
      'one vote three times',
      () => (commit) => {
        const [first] = commit.signatures
        if (first) commit.signatures = commit.signatures.map(() => first)
      },
    ],
    [
      'fewer votes than validators',
      () =>
        ({ signatures }) =>
          void signatures.pop(),
    ],
    [
      'votes for nothing',
      () =>
        ({ signatures }) => {
          for (const one of signatures) one.block_id_flag = 3
        },
    ],
  ])('refuses a newest block with %s', async (_, lie) => {
    const chain = chainOf(10)
    const liar = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [liar], { path, ...trust(path) })
    await following.until(10)
    await liar.setFaults({ alter: alterCommit(lie(chain)) })
    liar.grow()
    await eventually(() => following.quarantined.length > 0)
    expect(following.heads.at(-1)?.number).toBe(10)
    expect(following.lies.length).toBeGreaterThan(0)
    expect(['bad signature', 'too little power']).toContain(following.lies[0]?.kind)
    expect(following.lies[0]?.evidence).toBeDefined()
  })

  it.each([true, false])('a block that nobody signed, with proofs: %s', async (isProven) => {
    const chain = chainOf(10)
    const path = opened.folder()
    const honest = await opened.serve({ chain })
    const first = await opened.follow(chain, [honest], { path, ...trust(path) })
    await first.until(10)
    await first.close()
    const liar = await opened.serve({ chain: chainOf(13, { fork: { at: 11, isSigned: false } }) })
    const second = await opened.follow(chain, [liar, honest], { path, ...(isProven ? trust(path) : {}) })
    if (!isProven) return second.until(13)
    await eventually(() => second.quarantined.length > 0)
    expect(second.lies[0]).toMatchObject({ kind: 'bad signature', height: 13 })
    honest.grow(3)
    await second.until(13)
    await second.close()
    expect((await inspect(path)).faults).toEqual([])
    for (const { number, hash } of second.heads)
      expect(toHex(hash)).toBe(toHex(chain.built(number)?.hash as Uint8Array))
  })

  it('takes nothing that is made up when it ended after headers were saved and before their blocks were', async () => {
    const chain = chainOf(10)
    const honest = await opened.serve({ chain })
    const path = opened.folder()
    const first = await opened.follow(chain, [honest], { path, ...trust(path) })
    await first.until(10)
    await first.close()
    honest.grow(30)
    const further = opened.folder()
    const other = await opened.follow(chain, [honest], { path: further, ...trust(further) })
    await other.until(40)
    await other.close()
    const [saved, newer] = [path, further].map((one) => JSON.parse(readFileSync(trustFile(one), 'utf8')))
    writeFileSync(trustFile(path), JSON.stringify({ ...saved, newest: newer.newest }))
    const fork = { at: 11, isSigned: false, hasOwnValidators: true }
    const liar = await opened.serve({ chain: chainOf(15, { fork }) })
    const second = await opened.follow(chain, [liar], { path, ...trust(path) })
    await eventually(() => second.quarantined.length > 0)
    expect(second.heads).toEqual([])
    expect(second.lies[0]).toMatchObject({ kind: 'other validators' })
    // The trusted block is there, though this node knows nothing of it.
    expect(second.targets[0]).toBe(40)
    await second.close()
    const late = await opened.serve({ chain: chainOf(15) })
    const third = await opened.follow(chain, [late], { path, ...trust(path) })
    await third.until(15)
    late.grow(30)
    await third.until(45)
    expect(third.quarantined).toEqual([])
    await third.close()
    expect(await inspect(path)).toMatchObject({ faults: [], head: 45 })
  })

  it('begins with the first block of a chain that has none yet', async () => {
    const chain = chainOf(0)
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [replay], { path, ...trust(path) })
    await eventually(() => following.targets.length > 0)
    replay.grow()
    await following.until(1)
    replay.grow(2)
    await following.until(3)
    expect(following.quarantined).toEqual([])
  })

  it('does not begin while nodes disagree about the block to trust on first use', async () => {
    const chain = chainOf(10)
    const one = await opened.serve({ chain })
    const other = await opened.serve({ chain: chainOf(10, { seed: 2 }) })
    const path = opened.folder()
    const following = await opened.follow(chain, [one, other], { path, ...trust(path) })
    await eventually(() => following.failures.length > 0)
    expect(following.failures[0]?.message).toContain('nodes disagree about block 10')
    expect(following.heads).toEqual([])
  })

  it('trusts on first use what another node has too, whatever the first one is ahead', async () => {
    const chain = chainOf(10)
    const fork = { at: 11, isSigned: false, hasOwnValidators: true }
    const liar = await opened.serve({ chain: chainOf(11, { fork }) })
    const honest = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [liar, honest], { path, ...trust(path) })
    await eventually(() => following.quarantined.length > 0)
    expect(wasLogged(following, 'no other node has told')).toBe(false)
    honest.grow(2)
    await following.until(12)
    await following.close()
    expect(following.lies[0]).toMatchObject({ height: 11 })
    expect(JSON.parse(readFileSync(trustFile(path), 'utf8'))).toMatchObject({ root: { height: 10 } })
    for (const { number, hash } of following.heads)
      expect(toHex(hash)).toBe(toHex(chain.built(number)?.hash as Uint8Array))
  })

  it('does not begin with a made up chain that is ahead of the others', async () => {
    const chain = chainOf(10)
    const liar = await opened.serve({ chain: chainOf(11, { seed: 2 }) })
    const honest = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [liar, honest], { path, ...trust(path) })
    await eventually(() => following.failures.length > 0)
    expect(following.failures[0]?.message).toContain('nodes disagree about block 10')
    expect(following.heads).toEqual([])
  })

  it('waits on first use for another node that can be asked to tell of the block', async () => {
    const chain = chainOf(10)
    const one = await opened.serve({ chain })
    const other = await opened.serve({ chain })
    const noCommit = (method: string, result: unknown): unknown => {
      if (method === 'commit') throw new Error('no commit is known')
      return result
    }
    await other.setFaults({ alter: noCommit })
    const path = opened.folder()
    const following = await opened.follow(chain, [one, other], { path, ...trust(path) })
    await eventually(() => wasLogged(following, 'no other node has told of block 10'))
    expect(following.heads).toEqual([])
    await other.setFaults({})
    await following.until(10)
    expect(following.quarantined).toEqual([])
  })

  it('gives up, and says why, when the trusted header is too old', async () => {
    const chain = chainOf(10)
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const first = await opened.follow(chain, [replay], { path, ...trust(path) })
    await first.until(10)
    await first.close()
    const saved = JSON.parse(readFileSync(trustFile(path), 'utf8'))
    writeFileSync(
      trustFile(path),
      JSON.stringify({ ...saved, newest: { ...saved.newest, since: undefined } }),
    )
    replay.grow()
    const second = await opened.follow(chain, [replay], {
      path,
      ...trust(path, { trustingPeriodMs: 60_000 }),
    })
    await eventually(() => second.untaken.length > 0)
    expect(second.untaken[0]?.reason).toContain('older than the trusting period')
    expect(second.quarantined).toEqual([])
    await second.close()
    const root = { height: 11, hash: chain.built(11)?.hash as Uint8Array }
    const third = await opened.follow(chain, [replay], { path, ...trust(path, { root }) })
    await third.until(11)
  })

  it('holds the newest block back until the next one has proven its results', async () => {
    const chain = chainOf(20)
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [replay], { path, ...trust(path), holdNewest: true })
    await following.until(19)
    replay.grow()
    await following.until(20)
    replay.grow(5)
    await following.until(25)
    expect(following.quarantined).toEqual([])
    expect(replay.asked.get('block')).toBeLessThan(35)
  })

  it('serves no held block for a next one that nobody signed', async () => {
    const chain = chainOf(10)
    const liar = await opened.serve({ chain: chainOf(11, { fork: { at: 11, isSigned: false } }) })
    const path = opened.folder()
    const root = { height: 10, hash: chain.built(10)?.hash as Uint8Array }
    const following = await opened.follow(chain, [liar], { path, ...trust(path, { root }), holdNewest: true })
    await eventually(() => following.lies.length > 0)
    expect(following.lies[0]).toMatchObject({ height: 11 })
    await following.close()
    expect(following.heads.map(({ number }) => number).filter((number) => number > 9)).toEqual([])
    const honest = await opened.serve({ chain: chainOf(11) })
    const again = await opened.follow(chain, [honest], { path, ...trust(path, { root }), holdNewest: true })
    await again.until(10)
    expect(again.heads.at(-1)?.isConfirmed).toBe(true)
  })

  it('tells two blocks that the same validators signed from one that they did not', async () => {
    const chain = chainOf(10)
    const replay = await opened.serve({ chain })
    const path = opened.folder()
    const following = await opened.follow(chain, [replay], { path, ...trust(path) })
    await following.until(10)
    await following.close()
    for (const isSigned of [true, false]) {
      const other = await opened.serve({ chain: chainOf(10, { fork: { at: 8, isSigned } }) })
      const again = await opened.follow(chain, [other], { path, ...trust(path) })
      await eventually(() => again.lies.length > 0)
      expect(again.lies[0]).toMatchObject({
        kind: isSigned ? 'conflicting headers' : 'bad signature',
        height: 10,
      })
      if (isSigned) expect(again.lies[0]?.evidence).toMatchObject({ signed: { header: { height: '10' } } })
      await again.close()
    }
  })
})
