import { fromBigInt, toBigInt } from '../../src/base/encoding/bytes.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import type { DynamicFeeFields, Transaction } from '../../src/chain/transaction/transaction.ts'
import { TransactionSubmitter } from '../../src/pool/admission/transactionSubmitter.ts'
import { Journal } from '../../src/pool/journal.ts'
import { SenderRecovery } from '../../src/pool/recovery/senderRecovery.ts'
import type { PoolTransaction } from '../../src/pool/types.ts'
import { address, createTestPool, dynamicFee, gwei } from './pool.ts'

/** Returns the bytes of a transfer that states its sender, so that nobody has to sign or to recover it. Fees are in gwei. */
export const statedTransfer = (
  sender: number,
  nonce: number,
  feeCap = 10,
  tip = 1,
  more: Partial<DynamicFeeFields> = {},
): Uint8Array =>
  encodeTransaction({
    ...dynamicFee({
      nonce: BigInt(nonce),
      maxFeePerGas: BigInt(feeCap) * gwei,
      maxPriorityFeePerGas: BigInt(tip) * gwei,
      ...more,
    }),
    signature: { yParity: 0, r: toBigInt(address(sender)), s: 0n },
  } as Transaction)

/** Returns the number of a sender that a transaction states. */
export const senderNumber = ({ sender }: PoolTransaction): number =>
  Number(toBigInt(sender) - toBigInt(fromBigInt(0xa000n, 20)))

/** A pool with a journal. Opened again on the folder, without a close, it is one whose process was killed. */
export const openJournaledPool = (
  folder: string,
  options: Parameters<typeof createTestPool>[0] = {},
  onJournalError = (error: unknown): void => {
    throw error
  },
) => {
  const test = createTestPool(options)
  const journal = new Journal(folder)
  const submitter = new TransactionSubmitter({
    pool: test.pool,
    recovery: new SenderRecovery(),
    journal,
    onJournalError,
  })
  /** Sends a transfer; returns its hash if the pool acknowledges it, and why not otherwise. */
  const transferLocal = async (...transfer: Parameters<typeof statedTransfer>) => {
    const { transaction, rejection } = await submitter.submit(statedTransfer(...transfer), true, true)
    return rejection === undefined ? transaction.hash : rejection.kind
  }
  return { ...test, journal, submitter, transferLocal, submit: submitter.submit.bind(submitter) }
}

export type JournaledPool = ReturnType<typeof openJournaledPool>
