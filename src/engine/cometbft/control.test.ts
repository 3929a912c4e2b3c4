import { describe, expect, it } from 'vitest'
import type { NodeStatus } from '../../comet/data/replies.ts'
import { CometError } from '../../comet/data/replyEnvelope.ts'
import { createCometControl } from './control.ts'

const status = async () => ({ id: 'me', listenAddress: 'tcp://0.0.0.0:26656' }) as NodeStatus

describe('adding a peer to CometBFT', () => {
  const create = (persistentPeers: readonly string[] | undefined, failure?: Error) => {
    const dialed: [readonly string[], boolean][] = []
    const dialPeers = async (peers: readonly string[], isPersistent: boolean): Promise<void> => {
      if (failure !== undefined) throw failure
      dialed.push([peers, isPersistent])
    }
    const reward = { set: () => {} }
    const warnings: unknown[][] = []
    const log = { warn: (...warning: unknown[]) => void warnings.push(warning) }
    return {
      control: createCometControl({ persistentPeers }, { rpc: { dialPeers, status }, reward, log }),
      dialed,
      warnings,
    }
  }

  it('names the peers that it keeps each time, since CometBFT forgets those that are not named', async () => {
    const { control, dialed } = create(['a@h:1'])
    expect(await control.addPeer('b@h:2')).toBe(true)
    await control.addPeer('c@h:3')
    expect(dialed).toEqual([
      [['a@h:1', 'b@h:2'], true],
      [['a@h:1', 'b@h:2', 'c@h:3'], true],
    ])
  })

  it('loses none of several that are added at once, and names none that was rejected', async () => {
    const dialed: (readonly string[])[] = []
    const dialPeers = async (peers: readonly string[]): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve))
      if (peers.includes('bad')) throw new CometError(-32_603, 'invalid address')
      dialed.push(peers)
    }
    const dependencies = { rpc: { dialPeers, status }, reward: { set: () => {} }, log: { warn: () => {} } }
    const control = createCometControl({ persistentPeers: ['a@h:1'] }, dependencies)
    const outcomes = await Promise.allSettled(['b@h:2', 'bad', 'c@h:3'].map((peer) => control.addPeer(peer)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(dialed.at(-1)).toEqual(['a@h:1', 'b@h:2', 'c@h:3'])
  })

  it('has CometBFT keep none where it does not know whom it keeps', async () => {
    const { control, dialed } = create(undefined)
    await control.addPeer('b@h:2')
    expect(dialed).toEqual([[['b@h:2'], false]])
  })

  it.each([
    ['unsupported', new CometError(-32_601, 'Method not found'), /rpc\.unsafe/],
    ['refused', new CometError(-32_603, 'invalid port'), /rejected the peer: invalid port/],
    ['unavailable', new Error('connect ECONNREFUSED'), /does not answer/],
  ])('is %s where it says so', async (kind, failure, message) => {
    const { control } = create([], failure)
    await expect(control.addPeer('x')).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    })
  })

  it('keeps a removed peer no more', async () => {
    const { control, dialed, warnings } = create(['a@h:1', 'b@h:2'])
    expect(await control.removePeer('c@h:3')).toBe(false)
    expect(warnings).toEqual([])
    expect(await control.removePeer('a')).toBe(true)
    expect(warnings).toEqual([
      [
        { peer: 'a@h:1' },
        expect.stringContaining('a connection that is open stays: CometBFT cannot cut one'),
      ],
    ])
    expect(await control.removePeer('b@h:2')).toBe(true)
    expect(await control.removePeer('b@h:2')).toBe(false)
    // An empty list would be rejected, so that the last one is replaced by this node itself.
    expect(dialed).toEqual([
      [['b@h:2'], true],
      [['me@127.0.0.1:26656'], true],
    ])
    await expect(create(undefined).control.removePeer('a')).rejects.toMatchObject({ kind: 'unsupported' })
  })
})
