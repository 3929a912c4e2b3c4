import { describe, expect, it, vi } from 'vitest'
import { addressOf, createCandidate, testChainId } from '../../../../test/support/signedCandidates.ts'
import { ethereumLimits } from '../../../chain/config/limits.ts'
import type { RecoveredTransaction } from '../../../chain/transaction/transaction.ts'
import { codes } from '../../../cosmos/codes.ts'
import { perihelionDialect } from '../../../cosmos/transaction/dialect.ts'
import { encodeProposerEntry } from '../../../cosmos/transaction/proposerEntry.ts'
import { maxNativeBytes } from '../../../cosmos/transaction/unwrap.ts'
import { wrapTransaction } from '../../../cosmos/transaction/wrap.ts'
import { TransactionSubmitter } from '../../../pool/admission/transactionSubmitter.ts'
import { TransactionPool } from '../../../pool/pool.ts'
import { SenderRecovery } from '../../../pool/recovery/senderRecovery.ts'
import { defaultPoolSettings } from '../../../pool/types.ts'
import { checkTx } from './checkTx.ts'

const gwei = 10n ** 9n

const takeDropped = () => false

const createPool = (nonce = 0n, balance = 10n ** 18n) => {
  const pool = new TransactionPool(defaultPoolSettings, {
    state: { nonce: () => nonce, balance: () => balance, codeKind: () => 'none' },
    head: {
      number: 1n,
      time: 1n,
      gasLimit: 30_000_000n,
      baseFee: gwei,
      blobBaseFee: 1n,
      maxBlobs: 9,
      fork: 'osaka',
      chainId: testChainId,
      limits: ethereumLimits,
    },
    blobs: { accepted: false, rejection: 'no blobs here' },
    now: () => 0,
    onListenerError: (error) => expect.fail(String(error)),
  })
  const recovery = new SenderRecovery()
  const recover = vi.spyOn(recovery, 'recover')
  const onJournalError = (error: unknown): void => {
    throw error
  }
  const intake = new TransactionSubmitter({ pool, recovery, journal: undefined, onJournalError })
  return { pool, intake, recover }
}

const wrap = ({ transaction, raw, sender }: RecoveredTransaction, from = sender): Uint8Array =>
  wrapTransaction({ transaction, raw, from }, perihelionDialect)

describe('checking a transaction of the engine', () => {
  const good = createCandidate(0, 0n)

  it('takes a good one into the pool', async () => {
    const { pool, intake } = createPool()
    expect(await checkTx(wrap(good), false, { pool, intake, takeDropped })).toEqual({
      code: codes.success,
      log: '',
      hash: good.hash,
      gasWanted: 21_000n,
      sender: addressOf(0),
      priority: gwei,
    })
    expect(pool.get(good.hash)?.isLocal).toBe(false)
  })

  it('lets pass what the pool has: from its own users, or from before a block', async () => {
    const { pool, intake, recover } = createPool()
    await intake.submit(good.raw, true)
    expect(recover).toHaveBeenCalledTimes(1)
    for (const again of [false, true])
      expect(await checkTx(wrap(good), again, { pool, intake, takeDropped })).toMatchObject({
        code: codes.success,
      })
    expect(recover).toHaveBeenCalledTimes(1)
  })

  it('fills an empty pool from what the engine holds, without a signature', async () => {
    const { pool, intake, recover } = createPool()
    expect(await checkTx(wrap(good), true, { pool, intake, takeDropped })).toMatchObject({
      code: codes.success,
    })
    expect(pool.get(good.hash)?.sender).toEqual(addressOf(0))
    expect(recover).not.toHaveBeenCalled()
  })

  it('takes what no block could include into the pool, and keeps it from the engine until one can', async () => {
    const { pool, intake } = createPool()
    const check = (candidate: RecoveredTransaction, isRecheck = false) =>
      checkTx(wrap(candidate), isRecheck, { pool, intake, takeDropped })
    const cheap = createCandidate(0, 0n, { maxFeePerGas: gwei - 1n, maxPriorityFeePerGas: 1n })
    const behind = createCandidate(0, 1n)
    const gapped = createCandidate(1, 1n)
    for (const candidate of [cheap, behind, gapped]) {
      const result = await check(candidate)
      expect(result).toMatchObject({ code: codes.alreadyKnown, held: { hash: candidate.hash } })
      expect(pool.get(candidate.hash)).toBeDefined()
    }
    // What the engine holds stays there while the fee is not far from it.
    for (const candidate of [cheap, behind])
      expect(await check(candidate, true)).toMatchObject({ code: codes.success })
    expect(await check(gapped, true)).toMatchObject({ code: codes.alreadyKnown })
    pool.onHead({ ...pool.head, baseFee: 3n * gwei }, { included: [], changed: [] })
    expect(await check(cheap, true)).toMatchObject({ code: codes.alreadyKnown })
    pool.onHead({ ...pool.head, baseFee: gwei - 1n }, { included: [], changed: [] })
    for (const candidate of [cheap, behind])
      expect(await check(candidate)).toMatchObject({ code: codes.success })
  })

  it('has the engine drop what the pool dropped', async () => {
    const { pool, intake } = createPool()
    const dropped = { pool, intake, takeDropped: () => true }
    expect(await checkTx(wrap(good), true, dropped)).toEqual({
      code: codes.invalidRequest,
      log: 'the pool dropped it',
    })
    expect(pool.get(good.hash)).toBeUndefined()
    // Somebody sends it again.
    expect(await checkTx(wrap(good), false, dropped)).toMatchObject({ code: codes.success })
  })

  it('rejects a wrapper that names another sender, also after the pool took what is inside', async () => {
    const { pool, intake } = createPool()
    const wrong = wrap(good, addressOf(1))
    for (const _ of [1, 2])
      expect(await checkTx(wrong, false, { pool, intake, takeDropped })).toMatchObject({
        code: codes.wrongSigner,
      })
    expect(await checkTx(wrap(good), false, { pool, intake, takeDropped })).toMatchObject({
      code: codes.success,
    })
  })

  it.each([
    ['nonce too low: next nonce 4, tx nonce 0', codes.wrongSequence, good],
    [
      'insufficient funds for gas * price + value: balance 1000000000000000000, tx cost 1000210000000000000, overshot 210000000000000',
      codes.insufficientFunds,
      createCandidate(0, 4n, { value: 10n ** 18n }),
    ],
    [
      'intrinsic gas too low: gas 20000, minimum needed 21000',
      codes.outOfGas,
      createCandidate(0, 4n, { gasLimit: 20_000n }),
    ],
    [
      'invalid sender: invalid chain id for signer: have 1 want 31337',
      codes.invalidChainId,
      createCandidate(0, 4n, { chainId: 1n }),
    ],
  ])('says in geth’s words: %s', async (log, code, candidate) => {
    for (const again of [false, true]) {
      const { pool, intake } = createPool(4n)
      expect(await checkTx(wrap(candidate), again, { pool, intake, takeDropped })).toEqual({ code, log })
    }
  })

  it('looks an unknown one up once, by a hash that is made once', async () => {
    const { pool } = createPool()
    const get = vi.spyOn(pool, 'get')
    const submit: TransactionSubmitter['submit'] = async () => ({
      rejection: { kind: 'poolFull', message: 'full' },
    })
    const dependencies = { pool, intake: { submit }, takeDropped }
    expect(await checkTx(wrap(good), false, dependencies)).toEqual({ code: codes.poolFull, log: 'full' })
    expect(get).toHaveBeenCalledTimes(1)
  })

  it('rejects by its length alone what is too long, without a hash of it', async () => {
    const { pool, intake } = createPool()
    const get = vi.spyOn(pool, 'get')
    const long = createCandidate(0, 0n, { data: new Uint8Array(maxNativeBytes) })
    expect(await checkTx(wrap(long), false, { pool, intake, takeDropped })).toMatchObject({
      code: codes.tooLarge,
    })
    expect(get).not.toHaveBeenCalled()
  })

  it('rejects bytes that are not a transaction, and the entry that only proposers make', async () => {
    const { pool, intake } = createPool()
    expect(await checkTx(Uint8Array.of(9), false, { pool, intake, takeDropped })).toEqual({
      code: codes.malformed,
      log: 'tx parse error',
    })
    const entry = encodeProposerEntry({ height: 1n, reward: addressOf(0) })
    expect(await checkTx(entry, false, { pool, intake, takeDropped })).toMatchObject({
      code: codes.invalidType,
    })
  })
})
