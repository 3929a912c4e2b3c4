import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { address, createSubmission, dynamicFee } from '../../../test/support/pool.ts'
import { privateKeyToAddress } from '../../base/crypto/crypto.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { signAuthorization, signTransaction } from '../../chain/transaction/signature.ts'
import type { UnsignedTransaction } from '../../chain/transaction/transaction.ts'
import { decodeSubmission } from '../admission/submission.ts'
import type { Signers, Submission } from '../types.ts'
import { defaultRecoverySettings, SenderRecovery } from './senderRecovery.ts'
import { decodeResponse, encodeRequest, handleRequest } from './signerBatch.ts'

const key = (index: number): Uint8Array => new Uint8Array(32).fill(index + 1)
const signer = (index: number): Uint8Array => privateKeyToAddress(key(index))
const signed = (fields: UnsignedTransaction, by: number): Submission =>
  decodeSubmission(encodeTransaction(signTransaction(fields, key(by)))).submission as Submission
const unsignable = (): Submission => {
  const transaction = { ...dynamicFee(), signature: { yParity: 0, r: 0n, s: 1n } } as const
  return { ...createSubmission(dynamicFee()), transaction, raw: encodeTransaction(transaction) }
}

const setCode = (authorizations: number): Submission =>
  signed(
    {
      ...dynamicFee(),
      type: 4,
      authorizations: Array.from({ length: authorizations }, () =>
        signAuthorization({ chainId: 0n, address: address(1), nonce: 0n }, key(7)),
      ),
    },
    1,
  )

let recovery: SenderRecovery
afterEach(async () => {
  vi.restoreAllMocks()
  await recovery.close()
})

describe('sender recovery', () => {
  it.each([
    ['in place', 1_000, 1],
    ['on one thread', 0, 1],
    ['on two threads', 0, 2],
  ])('finds every sender, %s', async (_, maxInline, threads) => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, maxInline, threads, maxBatch: 16 })
    const found = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        recovery.recover(signed(dynamicFee({ nonce: BigInt(index) }), index), 'osaka'),
      ),
    )
    expect(found).toEqual(found.map((_, index) => ({ sender: signer(index), authorities: [] })))
    expect(recovery.waiting).toBe(0)
  })

  it('recovers the first of a turn in place while the thread works on the rest', async () => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, maxInline: 2 })
    const messages = vi.spyOn(Worker.prototype, 'postMessage')
    const order: number[] = []
    const all = [0, 1, 2, 3, 4].map((index) =>
      recovery.recover(signed(dynamicFee({ nonce: BigInt(index) }), index), 'osaka')?.then((found) => {
        order.push(index)
        return found
      }),
    )
    await all[1]
    expect(order).toEqual([0, 1])
    expect(messages).toHaveBeenCalledTimes(1)
    expect(recovery.waiting).toBe(3)
    expect(await Promise.all(all)).toEqual(
      all.map((_, index) => ({ sender: signer(index), authorities: [] })),
    )
    expect(order).toEqual([0, 1, 2, 3, 4])
  })

  it('shares many with the thread, in turns, and settles them in their order', async () => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, threads: 1 })
    const sent: number[] = []
    const { postMessage } = Worker.prototype
    vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (
      this: Worker,
      message: ArrayBuffer,
      transfer?: Parameters<Worker['postMessage']>[1],
    ) {
      // A buffer that was transferred is empty.
      sent.push(message.byteLength)
      postMessage.call(this, message, transfer)
    })
    const idle = new Promise<number>((resolve) => {
      recovery.onIdle = () => resolve(recovery.waiting)
    })
    const order: number[] = []
    const all = Array.from({ length: 100 }, (_, index) =>
      recovery.recover(signed(dynamicFee({ nonce: BigInt(index) }), index % 7), 'osaka')?.then((found) => {
        order.push(index)
        return found?.sender
      }),
    )
    expect(await Promise.all(all)).toEqual(all.map((_, index) => signer(index % 7)))
    expect(order).toEqual(all.map((_, index) => index))
    // The first turn has eight here, and the thread gets half of what is left.
    const each = signed(dynamicFee(), 1).raw.length + 5
    expect((sent[0] as number) / each).toBeGreaterThan(44)
    expect((sent[0] as number) / each).toBeLessThan(48)
    expect(await idle).toBe(0)
  })

  it('recovers the authorities of authorizations, and omits invalid ones', async () => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, maxInline: 0 })
    const authorization = { chainId: 0n, address: address(1), nonce: 0n }
    const fields: UnsignedTransaction = {
      ...dynamicFee(),
      type: 4,
      authorizations: [
        signAuthorization(authorization, key(7)),
        { ...authorization, yParity: 0, r: 0n, s: 1n },
        signAuthorization(authorization, key(8)),
      ],
    }
    expect(await recovery.recover(signed(fields, 1), 'osaka')).toEqual({
      sender: signer(1),
      authorities: [signer(7), signer(8)],
    })
  })

  it('recovers no sender from an invalid signature', async () => {
    recovery = new SenderRecovery()
    expect(await recovery.recover(unsignable(), 'osaka')).toBeUndefined()
    const raws = [unsignable().raw, signed(dynamicFee(), 1).raw]
    const request = encodeRequest(
      'osaka',
      raws.map((raw) => ({ raw, isSenderOnly: false })),
    )
    const result: (Signers | undefined)[] = [undefined, { sender: signer(1), authorities: [] }]
    expect(decodeResponse(handleRequest(request))).toEqual(result)
  })

  it('knows the fork: a high s is a signature only before Homestead', async () => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, maxInline: 0 })
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const fields = { ...dynamicFee(), type: 0, chainId: undefined, gasPrice: 1n } as const
    const tx = signTransaction(fields, key(1))
    const { yParity, r, s } = tx.signature
    const mirrored = { ...tx, signature: { yParity: 1 - yParity, r, s: order - s } }
    const submission = decodeSubmission(encodeTransaction(mirrored)).submission as Submission
    const [frontier, homestead] = [
      recovery.recover(submission, 'frontier'),
      recovery.recover(submission, 'homestead'),
    ]
    expect([await frontier, await homestead]).toEqual([{ sender: signer(1), authorities: [] }, undefined])
  })

  it('lets no more wait than it may', async () => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, maxWaiting: 3 })
    const submission = signed(dynamicFee(), 1)
    const results = Array.from({ length: 5 }, () => recovery.recover(submission, 'osaka'))
    expect(results.map((result) => result !== undefined)).toEqual([true, true, true, false, false])
    await Promise.all(results)
    expect(await recovery.recover(submission, 'osaka')).toBeDefined()
  })

  it.each([
    ['in place', 1],
    ['on the thread', 0],
  ])('recovers the sender alone, %s, which is one signature', async (_, maxInline) => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, maxInline })
    const messages = vi.spyOn(Worker.prototype, 'postMessage')
    const recovering = recovery.recover(setCode(3), 'osaka', { isSenderOnly: true })
    expect(recovery.waiting).toBe(1)
    expect(await recovering).toEqual({ sender: signer(1), authorities: [] })
    expect(messages).toHaveBeenCalledTimes(1 - maxInline)
  })

  it('counts the signatures of authorizations among those that wait', async () => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, maxWaiting: 5 })
    const results = [recovery.recover(setCode(4), 'osaka'), recovery.recover(setCode(0), 'osaka')]
    const unbounded = recovery.recover(setCode(1), 'osaka', { isUnbounded: true })
    expect([recovery.waiting, ...results.map((result) => result !== undefined)]).toEqual([7, true, false])
    expect((await results[0])?.authorities).toHaveLength(4)
    expect((await unbounded)?.authorities).toHaveLength(1)
    expect(recovery.waiting).toBe(0)
  })

  it.each([
    ['in place', 6, 0],
    ['in place and on the thread', 5, 1],
    ['on the thread, in batches', 0, 3],
  ])('counts the signatures of a turn and of a batch: %s', async (_, maxInline, batches) => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, maxInline, maxBatch: 2 })
    const messages = vi.spyOn(Worker.prototype, 'postMessage')
    // More than a batch may have, which is one of its own; another that fills a batch; and one behind it.
    const found = await Promise.all([2, 1, 0].map((count) => recovery.recover(setCode(count), 'osaka')))
    expect(found.map((signers) => signers?.authorities.length)).toEqual([2, 1, 0])
    expect(messages).toHaveBeenCalledTimes(batches)
    expect(recovery.waiting).toBe(0)
  })

  it('rejects the batches of a dead thread, and starts another', async () => {
    recovery = new SenderRecovery({ ...defaultRecoverySettings, maxInline: 0 })
    // These bytes are not a transaction: the thread ends with an exception.
    const broken = { ...signed(dynamicFee(), 1), raw: Uint8Array.of(1, 2, 3) }
    await expect(recovery.recover(broken, 'osaka')).rejects.toThrow()
    expect(recovery.waiting).toBe(0)
    expect(await recovery.recover(signed(dynamicFee(), 1), 'osaka')).toEqual({
      sender: signer(1),
      authorities: [],
    })
  })

  it('rejects after it was closed', async () => {
    recovery = new SenderRecovery()
    await recovery.close()
    expect(recovery.recover(signed(dynamicFee(), 1), 'osaka')).toBeUndefined()
  })
})
