import fs, { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Wallet } from 'ethers'
import { keccak256, parseGwei, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { address, createSubmission, createTestPool } from '../../../test/support/pool.ts'
import { slow } from '../../../test/support/slow.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { readRecords } from '../../base/files/recordFile.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { encodePooledTransaction, versionedHash } from '../../chain/transaction/pooled.ts'
import { signAuthorization, signTransaction } from '../../chain/transaction/signature.ts'
import type { DynamicFeeFields } from '../../chain/transaction/transaction.ts'
import { Journal } from '../journal.ts'
import { defaultRecoverySettings, SenderRecovery } from '../recovery/senderRecovery.ts'
import { SidecarVerification } from '../sidecars/verification.ts'
import type { AddResult } from '../types.ts'
import { TransactionSubmitter } from './transactionSubmitter.ts'

const keys = [1, 2, 3].map((index) => `0x${String(index).padStart(64, '0')}` as const)
const accounts = keys.map((key) => privateKeyToAccount(key))
const account = (index: number) => accounts[index] as (typeof accounts)[number]
const to = toHex(address(999)) as `0x${string}`
const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') }

let folder: string
let closers: (() => Promise<void>)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'submitter-'))
})
afterEach(async () => {
  for (const close of closers) await close()
  closers = []
  rmSync(folder, { recursive: true })
})

const open = (
  options: Parameters<typeof createTestPool>[0] = {},
  journal = new Journal(folder),
  more: Partial<ConstructorParameters<typeof TransactionSubmitter>[0]> = {},
) => {
  const test = createTestPool(options)
  const errors: unknown[] = []
  const recovery = new SenderRecovery({ ...defaultRecoverySettings, maxInline: 4 })
  const submitter = new TransactionSubmitter({
    ...test,
    ...more,
    recovery,
    journal,
    onJournalError: (error) => errors.push(error),
  })
  closers.push(() => submitter.close())
  const submit = (raw: string, isLocal = true): Promise<AddResult> => submitter.submit(fromHex(raw), isLocal)
  return { ...test, submitter, recovery, journal, submit, errors }
}

const signWith = (index: number, fields: Partial<TransactionSerializable>): Promise<`0x${string}`> =>
  account(index).signTransaction({
    chainId: 31_337,
    to,
    gas: 100_000n,
    ...fees,
    ...fields,
  } as TransactionSerializable)

const noLimits = {
  baseFee: 0n,
  blobBaseFee: 0n,
  minTip: 0n,
  gasLimit: 30_000_000n,
  maxBytes: 1_000_000,
  maxBlobs: 0,
}

const infinity = new Uint8Array(48)
infinity[0] = 0xc0

/** Signs a transaction with one empty blob. */
const signBlob = (nonce: bigint) => {
  const sidecar = {
    version: 1 as const,
    blobs: [new Uint8Array(131_072)],
    commitments: [infinity],
    proofs: Array.from({ length: 128 }, () => infinity),
  }
  const transaction = signTransaction(
    {
      type: 3,
      chainId: 31_337n,
      nonce,
      gasLimit: 21_000n,
      to: address(999),
      value: 0n,
      data: new Uint8Array(0),
      accessList: [],
      ...fees,
      maxFeePerBlobGas: 1n,
      blobVersionedHashes: sidecar.commitments.map(versionedHash),
    },
    fromHex(keys[2] as string),
  )
  return { transaction, sidecar }
}

/** Signs a set-code transaction, whose authorizations are all the same. */
const setCode = (count: number, fields: Partial<DynamicFeeFields> = {}): Uint8Array => {
  const authorization = { chainId: 0n, address: address(999), nonce: 0n }
  const tuple = signAuthorization(authorization, fromHex(keys[1] as string))
  const authorizations = Array.from({ length: count }, () => ({ ...tuple, r: 1n, s: 1n }))
  return encodeTransaction(
    signTransaction(
      { ...unsigned(), ...fields, type: 4, authorizations: [...authorizations.slice(1), tuple] },
      fromHex(keys[0] as string),
    ),
  )
}

describe('transactions that clients signed', () => {
  it('of every type are taken with the hash and sender of viem', async () => {
    const { submit, pool } = open({ blobs: { accepted: true } })
    const authorization = await account(1).signAuthorization({ chainId: 31_337, address: to, nonce: 0 })
    const accessList = [{ address: to, storageKeys: [`0x${'11'.repeat(32)}` as const] }]
    const legacy = {
      type: 'legacy',
      gasPrice: fees.maxFeePerGas,
      maxFeePerGas: undefined,
      maxPriorityFeePerGas: undefined,
    }
    const transactions = [
      { ...legacy, nonce: 0 },
      { ...legacy, type: 'eip2930', accessList, nonce: 1 },
      { type: 'eip1559', accessList, value: 5n, nonce: 2 },
      { type: 'eip7702', authorizationList: [authorization], nonce: 3 },
    ] as Partial<TransactionSerializable>[]
    const raws = await Promise.all(transactions.map((fields) => signWith(0, fields)))
    const taken = await Promise.all(raws.map((raw) => submit(raw)))
    expect(taken.map(({ rejection }) => rejection)).toEqual([undefined, undefined, undefined, undefined])
    expect(taken.map(({ transaction }) => transaction?.id)).toEqual(raws.map((raw) => keccak256(raw)))
    for (const { transaction } of taken)
      expect(toHex(transaction?.sender ?? new Uint8Array())).toBe(account(0).address.toLowerCase())
    expect(taken[3]?.transaction?.authorities).toEqual([account(1).address.toLowerCase()])
    expect(pool.pendingOf(fromHex(account(0).address)).length).toBe(4)
  })

  it('with blobs are taken in the form of the network, and are known by the hash of the form in a block', async () => {
    const { submit, pool } = open({ blobs: { accepted: true } })
    const { transaction, sidecar } = signBlob(0n)
    const canonical = encodePooledTransaction({ transaction, sidecar: undefined })
    const { transaction: taken } = await submit(toHex(encodePooledTransaction({ transaction, sidecar })))
    expect([taken?.id, taken?.raw]).toEqual([keccak256(canonical), canonical])
    expect(taken?.sidecar?.proofs).toEqual(sidecar.proofs)
    expect(pool.counts.pending).toBe(1)
  })

  it('with blobs that are not those of the commitments are rejected, after all other checks', async () => {
    const { submit, pool, state } = open({ blobs: { accepted: true } })
    const wrong = ({ transaction, sidecar }: ReturnType<typeof signBlob>) =>
      toHex(
        encodePooledTransaction({
          transaction,
          sidecar: { ...sidecar, blobs: [new Uint8Array(131_072).fill(1)] },
        }),
      )
    expect((await submit(wrong(signBlob(0n)))).rejection?.message).toBe('KZG verification error')
    expect((await submit(wrong(signBlob(1n)))).rejection?.message).toMatch(/^nonce too high/)
    state.at(fromHex(account(2).address)).balance = 0n
    expect((await submit(wrong(signBlob(0n)))).rejection?.message).toMatch(/^insufficient funds/)
    expect(pool.counts).toEqual({ pending: 0, queued: 0 })
  })

  it('of ethers as well', async () => {
    const { submit } = open()
    const wallet = new Wallet(keys[1] as string)
    const common = { chainId: 31_337, to, gasLimit: 50_000n, value: 1n }
    const raws = await Promise.all([
      wallet.signTransaction({ ...common, type: 0, nonce: 0, gasPrice: fees.maxFeePerGas }),
      wallet.signTransaction({ ...common, type: 1, nonce: 1, gasPrice: fees.maxFeePerGas, accessList: [] }),
      wallet.signTransaction({ ...common, type: 2, nonce: 2, ...fees }),
    ])
    for (const raw of raws) {
      const { transaction } = await submit(raw)
      expect(toHex(transaction?.sender ?? new Uint8Array())).toBe(wallet.address.toLowerCase())
      expect(transaction?.id).toBe(keccak256(raw as `0x${string}`))
    }
  })

  it('for another chain are rejected before their signature is checked', async () => {
    const { submit } = open()
    const { rejection } = await submit(await signWith(0, { chainId: 1, nonce: 0 }))
    expect(rejection?.message).toBe('invalid sender: invalid chain id for signer: have 1 want 31337')
  })

  it('with an invalid signature have an invalid sender', async () => {
    const { submitter } = open()
    const { raw, transaction } = createSubmission(unsigned())
    expect(transaction.signature).toEqual({ yParity: 0, r: 1n, s: 1n })
    const broken = raw.slice()
    broken[broken.length - 1] = 0x80 // s = 0
    expect((await submitter.submit(broken, false)).rejection).toEqual({
      kind: 'invalidSender',
      message: 'invalid sender: invalid transaction v, r, s values',
    })
  })

  it('with too little gas are rejected before a signature is recovered', async () => {
    const { submitter, recovery } = open()
    const recover = vi.spyOn(recovery, 'recover')
    const messageOf = async (raw: Uint8Array) => (await submitter.submit(raw, false)).rejection?.message
    const floor = { ...unsigned(), data: new Uint8Array(100).fill(1), gasLimit: 24_999n }
    expect([
      await messageOf(setCode(100, { gasLimit: 21_000n })),
      await messageOf(createSubmission(floor).raw),
    ]).toEqual([
      'intrinsic gas too low: gas 21000, minimum needed 2521000',
      'insufficient gas for floor data gas cost: gas 24999, minimum needed 25000',
    ])
    expect(recover).not.toHaveBeenCalled()
  })

  it('with too little gas and a signature out of range have an invalid sender, as in geth', async () => {
    const { submitter } = open()
    const broken = createSubmission({ ...unsigned(), gasLimit: 20_999n }).raw.slice()
    broken[broken.length - 2] = 0x80 // r = 0
    expect((await submitter.submit(broken, false)).rejection?.kind).toBe('invalidSender')
  })

  it('have many authorizations recovered only if the sender can pay and has room', async () => {
    const { submitter, recovery, state } = open({ settings: { accountQueue: 1 } })
    const recover = vi.spyOn(recovery, 'recover')
    const sender = state.at(fromHex(account(0).address))
    const submit = async (fields: Partial<DynamicFeeFields> = {}) => {
      const raw = setCode(20, { gasLimit: 600_000n, ...fields })
      recover.mockClear()
      const { transaction, rejection } = await submitter.submit(raw, false)
      const asked = recover.mock.calls.map(([, , options]) => options?.isSenderOnly ?? false)
      return [rejection?.kind, transaction?.authorities.includes(account(1).address.toLowerCase()), asked]
    }
    sender.balance = 0n
    expect(await submit()).toEqual(['insufficientFunds', undefined, [true]])
    Object.assign(sender, { balance: 10n ** 18n, nonce: 1n })
    expect(await submit()).toEqual(['nonceTooLow', undefined, [true]])
    sender.nonce = 0n
    expect(await submit()).toEqual([undefined, true, [true, false]])
    // Others of a sender that can pay, none of which the pool would hold.
    expect(await submit({ value: 1n })).toEqual(['replacementUnderpriced', undefined, [true]])
    expect(await submit({ nonce: 5n })).toEqual([undefined, true, [true, false]])
    expect(await submit({ nonce: 6n })).toEqual(['accountLimit', undefined, [true]])
  })

  it('have many authorizations, and are rejected if these cannot wait', async () => {
    const { submitter, recovery } = open()
    const recover = recovery.recover.bind(recovery)
    vi.spyOn(recovery, 'recover').mockImplementation((submission, fork, options) =>
      options?.isSenderOnly ? recover(submission, fork, options) : undefined,
    )
    const { rejection } = await submitter.submit(setCode(20, { gasLimit: 600_000n }), false)
    expect(rejection?.kind).toBe('busy')
  })

  it('do not keep the buffer of a request alive', async () => {
    const { submitter } = open()
    const raw = fromHex(await signWith(0, { nonce: 0 }))
    const request = new Uint8Array(1_000_000)
    request.set(raw, 500)
    const { transaction } = await submitter.submit(request.subarray(500, 500 + raw.length), false)
    expect(transaction?.raw).toEqual(raw)
    expect(transaction?.raw.buffer.byteLength).toBe(raw.length)
  })
})

describe('more than can wait', () => {
  it('is rejected, and the rest is processed', async () => {
    const { pool } = createTestPool()
    const recovery = new SenderRecovery({ ...defaultRecoverySettings, maxWaiting: 2 })
    const submitter = new TransactionSubmitter({
      pool,
      recovery,
      journal: undefined,
      onJournalError: () => {},
    })
    closers.push(() => submitter.close())
    const raws = await Promise.all([0, 1, 2].map((nonce) => signWith(0, { nonce })))
    const results = await Promise.all(raws.map((raw) => submitter.submit(fromHex(raw), false)))
    expect(results.map(({ rejection }) => rejection?.kind)).toEqual([undefined, undefined, 'busy'])
  })

  it('is restored all the same, because nobody would send it again', async () => {
    const first = open()
    for (const nonce of [0, 1, 2]) await first.submit(await signWith(0, { nonce }))
    await first.submitter.close()
    const submitter = new TransactionSubmitter({
      pool: createTestPool().pool,
      recovery: new SenderRecovery({ ...defaultRecoverySettings, maxWaiting: 1 }),
      journal: new Journal(folder),
      onJournalError: () => {},
    })
    closers.push(() => submitter.close())
    expect(await submitter.restore()).toMatchObject({ restored: 3, parked: 0, skipped: 0 })
  })
})

describe('blobs', () => {
  const sidecar = signBlob(0n).sidecar

  it('beyond what can wait are not verified', async () => {
    const sidecars = new SidecarVerification(1)
    closers.push(() => sidecars.close())
    const first = sidecars.verify(sidecar)
    expect([sidecars.waiting, sidecars.verify(sidecar)]).toEqual([1, undefined])
    expect(await first).toBe(true)
    expect(await sidecars.verify({ ...sidecar, blobs: [new Uint8Array(131_072).fill(2)] })).toBe(false)
  })

  it('get no result once it is closed', async () => {
    const sidecars = new SidecarVerification()
    const open = sidecars.verify(sidecar)?.catch((error: Error) => error.message)
    await sidecars.close()
    expect(await open).toMatch(/^the thread ended/)
    expect(sidecars.verify(sidecar)).toBeUndefined()
  })
})

describe('a restart', () => {
  const sendSome = async (submitter: ReturnType<typeof open>): Promise<void> => {
    for (const nonce of [0, 1, 5]) await submitter.submit(await signWith(0, { nonce }))
    await submitter.submit(await signWith(1, { nonce: 0 }), false)
  }

  it('restores local transactions, pending and queued, and those alone', async () => {
    const first = open()
    await sendSome(first)
    const second = open()
    expect(await second.submitter.restore()).toMatchObject({ restored: 3, parked: 0, skipped: 0 })
    expect(second.pool.counts).toEqual({ pending: 2, queued: 1 })
    expect([...second.pool.transactions()].every(({ isLocal }) => isLocal)).toBe(true)
    expect(second.pool.pendingOf(fromHex(account(1).address))).toEqual([])
  })

  it('leaves out what is in a block by now, and rewrites the file with the rest', async () => {
    await sendSome(open())
    const size = statSync(join(folder, 'transactions.journal')).size
    const second = open()
    second.state.at(fromHex(account(0).address)).nonce = 1n
    expect(await second.submitter.restore()).toMatchObject({ restored: 2, parked: 0, skipped: 1 })
    expect(statSync(join(folder, 'transactions.journal')).size).toBeLessThan(size)
    expect(await open().submitter.restore()).toMatchObject({ restored: 2, parked: 0, skipped: 0 })
  })

  it('counts damaged entries, and a torn end', async () => {
    await sendSome(open())
    const path = join(folder, 'transactions.journal')
    const bytes = readFileSync(path)
    bytes[20] = (bytes[20] as number) ^ 1
    writeFileSync(path, bytes.subarray(0, bytes.length - 1))
    expect(await open().submitter.restore()).toEqual({
      restored: 1,
      parked: 0,
      skipped: 2,
      why: { damaged: 2 },
    })
  })

  it('skips entries that are not transactions', async () => {
    const journal = new Journal(folder)
    journal.append([Uint8Array.of(1, 2, 3)])
    journal.close()
    expect(await open().submitter.restore()).toEqual({
      restored: 0,
      parked: 0,
      skipped: 1,
      why: { malformed: 1 },
    })
  })

  it('restores a replacement instead of the transaction that it replaced', async () => {
    const first = open()
    await first.submit(await signWith(0, { nonce: 0 }))
    await first.submit(
      await signWith(0, { nonce: 0, maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('2') }),
    )
    const second = open()
    expect(await second.submitter.restore()).toMatchObject({ restored: 1, parked: 0, skipped: 0 })
    expect([...second.pool.transactions()].map(({ feeCap }) => feeCap)).toEqual([parseGwei('20')])
  })

  it('acknowledges nothing once its journal is closed', async () => {
    let load = (): void => {}
    const loadSender = () =>
      new Promise<void>((resolve) => {
        load = resolve
      })
    const { submitter, submit } = open({}, new Journal(folder), { loadSender })
    const sending = submit(await signWith(0, { nonce: 0 }))
    const untilLoading = load
    await vi.waitUntil(() => load !== untilLoading)
    await submitter.close()
    closers = []
    load()
    expect((await sending).rejection?.kind).toBe('notJournaled')
    expect(await open().submitter.restore()).toMatchObject({ restored: 0 })
  })

  it('keeps nothing of one that another of the same turn replaced', async () => {
    const first = open()
    const raws = await Promise.all(
      [10, 20, 40].map((fee) =>
        signWith(0, {
          nonce: 0,
          maxFeePerGas: parseGwei(`${fee}`),
          maxPriorityFeePerGas: parseGwei(`${fee}`),
        }),
      ),
    )
    const results = await Promise.all(raws.map((raw) => first.submit(raw)))
    expect(results.map(({ rejection }) => rejection)).toEqual([undefined, undefined, undefined])
    first.submitter.forgetIncluded()
    expect(await open().submitter.restore()).toMatchObject({ restored: 1, parked: 0, skipped: 0 })
  })

  it('restores nothing that was removed, nor what a removed one had replaced', async () => {
    const first = open()
    for (const nonce of [0, 1]) await first.submit(await signWith(0, { nonce }))
    const better = await signWith(0, {
      nonce: 0,
      maxFeePerGas: parseGwei('20'),
      maxPriorityFeePerGas: parseGwei('2'),
    })
    const { transaction } = await first.submit(better)
    expect(first.pool.remove(transaction?.hash ?? new Uint8Array())).toBe(true)
    const second = open()
    expect(await second.submitter.restore()).toMatchObject({ restored: 1, parked: 0, skipped: 0 })
    // Sent again it is kept again.
    await second.submit(better)
    const third = open()
    expect(await third.submitter.restore()).toMatchObject({ restored: 2, parked: 0, skipped: 0 })
    third.pool.clear()
    expect(await open().submitter.restore()).toMatchObject({ restored: 0, parked: 0, skipped: 0 })
  })

  it.each([
    { limit: 'of the account', settings: { accountQueue: 3 } },
    { limit: 'of all', settings: { globalQueue: 3 } },
  ])('restores those behind a replacement, however short the queue $limit is', async ({ settings }) => {
    const first = open({ settings })
    const nonces = [0, 1, 2, 3, 4, 5, 6, 7]
    for (const nonce of nonces) await first.submit(await signWith(0, { nonce }))
    const better = { nonce: 0, maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('2') }
    expect((await first.submit(await signWith(0, better))).rejection).toBeUndefined()
    const second = open({ settings })
    expect(await second.submitter.restore()).toMatchObject({ restored: 8, parked: 0, skipped: 0 })
    expect(second.pool.pendingOf(fromHex(account(0).address))).toHaveLength(8)
  })

  it('keeps the order of arrival', async () => {
    const settings = { order: 'fifo' as const }
    const first = open({ settings })
    for (const [sender, nonce] of [
      [0, 1],
      [1, 0],
      [2, 0],
      [0, 0],
    ] as const)
      await first.submit(await signWith(sender, { nonce }))
    const ids = ({ pool }: ReturnType<typeof open>) => [...pool.select(noLimits)].map(({ id }) => id)
    const before = ids(first)
    expect(before).toHaveLength(4)
    const second = open({ settings })
    await second.submitter.restore()
    expect(ids(second)).toEqual(before)
    // What is sent from now on comes after them.
    const last = await second.submit(await signWith(1, { nonce: 1 }))
    expect(ids(second)).toEqual([...before, last.transaction?.id])
  })

  it('keeps what is rejected only for now', async () => {
    const first = open()
    for (const nonce of [5, 6]) await first.submit(await signWith(0, { nonce }))
    const second = open({ settings: { accountQueue: 1 } })
    expect(await second.submitter.restore()).toMatchObject({ restored: 1, parked: 1, skipped: 0 })
    const third = open()
    expect(await third.submitter.restore()).toMatchObject({ restored: 2, parked: 0, skipped: 0 })
  })

  it('keeps one queued that its sender cannot pay beside those before it', async () => {
    const first = open()
    const value = 6n * 10n ** 17n
    for (const nonce of [5, 0]) {
      const { rejection } = await first.submit(await signWith(0, { nonce, value }))
      expect(rejection).toBeUndefined()
    }
    const second = open()
    expect(await second.submitter.restore()).toMatchObject({ restored: 2, parked: 0, skipped: 0 })
    expect(second.pool.counts).toEqual({ pending: 1, queued: 1 })
    const third = open()
    third.state.at(fromHex(account(0).address)).balance = 2n * 10n ** 18n
    expect(await third.submitter.restore()).toMatchObject({ restored: 2, parked: 0, skipped: 0 })
  })

  it('restores all blob transactions of a sender, however many other blobs wait', async () => {
    const blobs = { accepted: true } as const
    const first = open({ blobs })
    for (const nonce of [0n, 1n, 2n]) {
      const { rejection } = await first.submit(toHex(encodePooledTransaction(signBlob(nonce))))
      expect(rejection).toBeUndefined()
    }
    const sidecars = new SidecarVerification(1)
    const second = open({ blobs }, new Journal(folder), { sidecars })
    const other = sidecars.verify(signBlob(0n).sidecar)
    expect(await second.submitter.restore()).toMatchObject({ restored: 3, parked: 0, skipped: 0 })
    expect(second.pool.counts).toEqual({ pending: 3, queued: 0 })
    await other
  })

  it('loses nothing that is not restored yet when others are sent meanwhile', async () => {
    await open().submit(await signWith(0, { nonce: 0 }))
    // So many records that a file with one transaction alone would be rewritten.
    const journal = new Journal(folder)
    journal.append(Array.from({ length: 1_100 }, (_, index) => Uint8Array.of(1, index >> 8, index & 255)))
    journal.close()
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    let onAsked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      onAsked = resolve
    })
    const second = open({}, new Journal(folder), {
      loadSender: async (_, isRestored) => {
        if (!isRestored) return
        onAsked()
        await isReleased
      },
    })
    const restoring = second.submitter.restore()
    await isAsked
    await second.submit(await signWith(1, { nonce: 0 }))
    // What a start after a kill would find, once the file is rewritten.
    const records = () => readRecords(readFileSync(join(folder, 'transactions.journal')), 10_000).payloads
    await expect.poll(records).toHaveLength(2)
    release()
    expect(await restoring).toMatchObject({ restored: 1, parked: 0, skipped: 1_100 })
    expect(await open().submitter.restore()).toMatchObject({ restored: 2, parked: 0, skipped: 0 })
  })

  it('restores what others have sent meanwhile, as local', async () => {
    const raw = await signWith(0, { nonce: 0 })
    await open().submit(raw)
    const second = open()
    await second.submit(raw, false)
    expect(await second.submitter.restore()).toMatchObject({ restored: 1, parked: 0, skipped: 0 })
    expect([...second.pool.transactions()].map(({ isLocal }) => isLocal)).toEqual([true])
    expect(await open().submitter.restore()).toMatchObject({ restored: 1, parked: 0, skipped: 0 })
  })

  it('restores what others had sent before it was submitted here', async () => {
    const first = open()
    const raw = await signWith(0, { nonce: 0 })
    await first.submit(raw, false)
    expect((await first.submit(raw)).rejection?.kind).toBe('alreadyKnown')
    expect([...first.pool.transactions()].map(({ isLocal }) => isLocal)).toEqual([true])
    expect(await open().submitter.restore()).toMatchObject({ restored: 1, parked: 0, skipped: 0 })
  })

  it('restores one that was sent again after the remote one in its place had left', async () => {
    const first = open()
    const raw = await signWith(0, { nonce: 0 })
    await first.submit(raw)
    const { transaction } = await first.submit(
      await signWith(0, { nonce: 0, maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('2') }),
      false,
    )
    expect(first.pool.remove(transaction?.hash ?? new Uint8Array())).toBe(true)
    await first.submit(raw)
    const second = open()
    expect(await second.submitter.restore()).toMatchObject({ restored: 1 })
    expect([...second.pool.transactions()].map(({ id }) => id)).toEqual([keccak256(raw)])
  })

  it('restores nothing that a reverted block contained', async () => {
    const first = open()
    const sender = fromHex(account(0).address)
    await sendSome(first)
    const { hash } = first.pool.pendingOf(sender)[0] ?? {}
    first.state.at(sender).nonce = 1n
    first.pool.onHead(first.pool.head, { included: hash ? [hash] : [], changed: [sender] })
    first.submitter.forgetIncluded()
    first.state.at(sender).nonce = 0n
    first.pool.reset(first.pool.head, [])
    const second = open()
    expect(await second.submitter.restore()).toMatchObject({ restored: 2, parked: 0, skipped: 0 })
    expect(second.pool.counts).toEqual({ pending: 0, queued: 2 })
  })

  it('keeps the file small while transactions come and go', slow, async () => {
    const { submitter, pool, state, journal } = open()
    const sender = fromHex(account(0).address)
    const raws = await Promise.all(
      Array.from({ length: 1_100 }, (_, nonce) => signWith(0, { nonce, gas: 21_000n })),
    )
    for (const [nonce, raw] of raws.entries()) {
      await submitter.submit(fromHex(raw), true)
      state.at(sender).nonce = BigInt(nonce + 1)
      pool.onHead(pool.head, { included: [], changed: [sender] })
    }
    expect(pool.counts.pending).toBe(0)
    expect(journal.isMostlyStale(0)).toBe(false)
    const size = () => statSync(join(folder, 'transactions.journal')).size
    await expect.poll(size).toBeLessThan(100 * 200)
  })

  describe('on a disk that fails', () => {
    afterEach(() => {
      vi.restoreAllMocks()
      syncBuiltinESMExports()
    })

    /** Has the next call of a function fail. */
    const failOnce = (name: 'fdatasync' | 'writeSync') => {
      const spy = vi.spyOn(fs, name)
      const failing =
        name === 'writeSync'
          ? () => {
              throw new Error('EIO')
            }
          : (_: number, done: fs.NoParamCallback) => done(new Error('EIO'))
      spy.mockImplementationOnce(failing as never)
      syncBuiltinESMExports()
      return spy
    }

    /** Returns the number of records that a start after a kill would find. */
    const countRecords = (): number =>
      readRecords(readFileSync(join(folder, 'transactions.journal')), 10_000).payloads.length

    /** Has the syncs on other threads never end. */
    const holdSyncs = (): void => {
      vi.spyOn(fs, 'fsync').mockImplementation((() => {}) as never)
      syncBuiltinESMExports()
    }

    it('has every transaction in the file when it is acknowledged, after a failed sync', async () => {
      const first = open()
      const sync = failOnce('fdatasync')
      holdSyncs()
      await first.submit(await signWith(0, { nonce: 0 }))
      await expect.poll(() => sync).toHaveBeenCalledOnce()
      for (const nonce of [1, 2]) {
        await first.submit(await signWith(0, { nonce }))
        expect(countRecords()).toBe(nonce + 1)
      }
      await first.submitter.close()
      expect(first.errors).toEqual([])
      expect(await open().submitter.restore()).toMatchObject({ restored: 3, parked: 0, skipped: 0 })
    })

    it('has it there after a failed write, also while the file is rewritten', async () => {
      const first = open()
      holdSyncs()
      await first.submit(await signWith(0, { nonce: 0 }))
      void first.journal.rewrite(first.journal.loaded)
      failOnce('writeSync')
      await first.submit(await signWith(0, { nonce: 1 }))
      expect(countRecords()).toBe(2)
      await first.submitter.close()
      expect(first.errors).toEqual([])
      expect(await open().submitter.restore()).toMatchObject({ restored: 2, parked: 0, skipped: 0 })
    })

    it('writes a new file before it ends if the sync of the old one failed', async () => {
      const first = open()
      const sync = failOnce('fdatasync')
      await first.submit(await signWith(0, { nonce: 0 }))
      await expect.poll(() => sync).toHaveBeenCalledOnce()
      const { ino } = statSync(join(folder, 'transactions.journal'))
      await first.submitter.close()
      expect(statSync(join(folder, 'transactions.journal')).ino).not.toBe(ino)
      expect(await open().submitter.restore()).toMatchObject({ restored: 1, parked: 0, skipped: 0 })
    })
  })

  it('acknowledges nothing with a journal that cannot be written, and says so', async () => {
    const journal = new Journal(folder)
    const { submit, errors } = open({}, journal)
    rmSync(folder, { recursive: true })
    journal.close()
    closers = []
    expect((await submit(await signWith(0, { nonce: 0 }))).rejection?.kind).toBe('notJournaled')
    expect(errors.length).toBe(1)
    folder = mkdtempSync(join(tmpdir(), 'submitter-'))
  })
})

const unsigned = () => ({
  type: 2 as const,
  chainId: 31_337n,
  nonce: 0n,
  gasLimit: 21_000n,
  to: address(999),
  value: 0n,
  data: new Uint8Array(0),
  accessList: [],
  ...fees,
})
