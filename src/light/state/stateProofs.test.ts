import { describe, expect, it } from 'vitest'
import { Multistore } from '../../../test/gateway/replay/stores/multistore.ts'
import type { Leaf } from '../../../test/gateway/replay/stores/trees.ts'
import { join, text } from '../../../test/gateway/replay/wire.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { parseAbciQuery } from '../../comet/data/abciQuery.ts'
import type { SignedHeader } from '../../comet/data/commit.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { toNativeQueryError } from '../../comet/data/queryErrors.ts'
import { CometError } from '../../comet/data/replyEnvelope.ts'
import { createThreadLog } from '../../gateway/follow/threadLog.ts'
import { cosmosStateRules } from './cosmosState.ts'
import { ics23Proofs } from './ics23Proofs.ts'
import { type CommittedState, type ProvingNode, StateProofs } from './stateProofs.ts'

const height = 9
const address = new Uint8Array(20).fill(0xab)
const denom = 'atest'
const balanceLeaf = {
  key: join(Uint8Array.of(2, 20), address, Buffer.from(denom)),
  value: Buffer.from('50'),
}

const paramsLeaf = { key: Uint8Array.of(3), value: text(1, denom) }

const setUp = (decimals = 18, more: Readonly<Record<string, readonly Leaf[]>> = {}) => {
  const stores = new Multistore({ bank: [balanceLeaf], evm: [paramsLeaf], ...more }, height)
  let committed: CommittedState | undefined = { appHash: stores.appHash, hash: undefined }
  let highest = height
  const logs: string[] = []
  const proofs = new StateProofs({
    rules: cosmosStateRules({ evmPackage: 'cosmos.evm.vm.v1', feeDenom: denom, decimals }),
    kind: ics23Proofs,
    highest: () => highest,
    committed: () => committed,
    log: createThreadLog(({ fields }) => logs.push(JSON.stringify(fields))),
  })
  const honest: ProvingNode = {
    name: 'honest',
    prove: async (store, key) => {
      const found = stores.answer(store, key)
      if (found === undefined) throw new NativeQueryError('refused', `no such store: ${store}`)
      const value = Buffer.from(found.value).toString('base64')
      return parseAbciQuery({ response: { code: 0, value, proofOps: JSON.parse(found.proof) } }, height)
    },
    signedHeader: () => Promise.reject(new Error('not asked')),
  }
  const ask = (node: ProvingNode, balance = '50') =>
    proofs.check(
      { path: '/cosmos.evm.vm.v1.Query/Balance', request: text(1, toHex(address)), height },
      node,
      Promise.resolve(text(1, balance)),
    )
  const set = (changed: { readonly highest?: number; readonly committed?: CommittedState | undefined }) => {
    if (changed.highest !== undefined) highest = changed.highest
    if ('committed' in changed) committed = changed.committed
  }
  return { proofs, honest, ask, set, logs }
}

const refusing = (honest: ProvingNode, error: Error): ProvingNode => ({
  ...honest,
  prove: () => Promise.reject(error),
})

describe('how a response is served, and whether it could be proven later', () => {
  it('believed of a node without proofs, until the chain has given one', async () => {
    const { proofs, honest, ask } = setUp()
    const silent = refusing(honest, new NativeQueryError('refused', 'proofs are off'))
    expect(await ask(silent)).toBe('no proof')
    expect(proofs.canProveMore('no proof', height)).toBe(false)
    expect(await ask(honest)).toBe('proven')
    expect(proofs.canProveMore('no proof', height)).toBe(true)
    expect(proofs.canProveMore('proven', height)).toBe(false)
    await expect(ask(silent)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('by another node, where one has pruned the state since', async () => {
    const { honest, ask } = setUp()
    const text = 'proof is unexpectedly empty; ensure height has not been pruned: invalid request'
    const pruned = refusing(honest, toNativeQueryError(text))
    await expect(ask(pruned)).rejects.toMatchObject({ kind: 'pruned' })
    await ask(honest)
    await expect(ask(pruned)).rejects.toMatchObject({ kind: 'pruned' })
  })

  it('believed and said of coins with fewer decimals, where the chain has no store for the rest', async () => {
    const { proofs, honest, ask } = setUp(6)
    expect(await ask(honest)).toBe('no proof')
    expect(await ask(honest)).toBe('no proof')
    expect(proofs.problem).toContain('no such store: precisebank')
  })

  it('proven or not at all, where the chain has shown that store', async () => {
    const { proofs, honest, ask } = setUp(6, { precisebank: [] })
    const forgetful: ProvingNode = {
      ...honest,
      prove: (store, key, at) =>
        store === 'precisebank'
          ? Promise.reject(new NativeQueryError('refused', 'no such store: precisebank'))
          : honest.prove(store, key, at),
    }
    expect(await ask(forgetful)).toBe('no proof')
    expect(await ask(honest, String(50n * 10n ** 12n))).toBe('proven')
    expect(proofs.problem).toBeUndefined()
    await expect(ask(forgetful)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('believed as the newest, until there is a header that commits to it', async () => {
    const { proofs, honest, ask, set } = setUp()
    set({ highest: height - 1 })
    expect(await ask(honest)).toBe('newest')
    expect(proofs.canProveMore('newest', height)).toBe(false)
    set({ highest: height })
    expect(proofs.canProveMore('newest', height)).toBe(true)
    expect(await ask(honest)).toBe('proven')
    set({ committed: undefined })
    expect(await ask(honest)).toBe('newest')
    expect(proofs.canProveMore('newest', height)).toBe(false)
  })

  it('as it is, where a state has no values', async () => {
    const { proofs, honest } = setUp()
    const asked = { path: '/cosmos.evm.vm.v1.Query/EthCall', request: emptyBytes, height }
    const outcome = await proofs.check(asked, honest, Promise.resolve(emptyBytes))
    expect(outcome).toBeUndefined()
    expect(proofs.canProveMore(outcome, height)).toBe(false)
  })
})

describe('a node that evades', () => {
  it.each([
    new CometError(-32601, 'Method not found'),
    new NativeQueryError('pruned', 'height 10 is not available, lowest height is 11'),
  ])('has failed if it gives a wrong proof and no header: %s', async (error) => {
    const { honest, ask } = setUp()
    await ask(honest)
    const liar: ProvingNode = {
      ...honest,
      prove: async (store, key, at) => ({
        ...(await honest.prove(store, key, at)),
        value: Buffer.from('51'),
      }),
      signedHeader: () => Promise.reject(error),
    }
    await expect(ask(liar, '51')).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it('is named in the log, and not to callers', async () => {
    const name = 'http://10.0.0.7:26657'
    const refusal = new NativeQueryError('refused', `no such store: ask ${name}`)
    const forged = async (honest: ProvingNode, store: string, key: Uint8Array) => ({
      ...(await honest.prove(store, key, height)),
      value: Buffer.from('51'),
    })
    const other = { header: { appHash: emptyBytes } } as unknown as SignedHeader
    const evasions: readonly ((honest: ProvingNode) => Partial<ProvingNode>)[] = [
      () => ({ prove: () => Promise.reject(new NativeQueryError('refused', `${name} has no proofs`)) }),
      () => ({ prove: () => Promise.reject(refusal) }),
      (honest) => ({
        prove: (store, key) => forged(honest, store, key),
        signedHeader: () => Promise.reject(refusal),
      }),
      (honest) => ({
        prove: (store, key) => forged(honest, store, key),
        signedHeader: () => Promise.resolve(other),
      }),
    ]
    for (const isKnown of [false, true])
      for (const evade of evasions) {
        const { proofs, honest, ask, logs } = setUp()
        if (isKnown) await ask(honest)
        const message = await ask({ ...honest, name, ...evade(honest) }, '51').catch(String)
        expect([proofs.problem, message].join()).not.toContain('10.0.0.7')
        expect(proofs.problem).toBeDefined()
        expect(logs.join()).toContain(name)
      }
  })
})
