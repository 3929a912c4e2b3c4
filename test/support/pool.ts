import { fromBigInt } from '../../src/base/encoding/bytes.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { ethereumLimits } from '../../src/chain/config/limits.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import type {
  DynamicFeeFields,
  Transaction,
  UnsignedTransaction,
} from '../../src/chain/transaction/transaction.ts'
import { decodeSubmission } from '../../src/pool/admission/submission.ts'
import { TransactionPool } from '../../src/pool/pool.ts'
import {
  type AddResult,
  type BlobPolicy,
  defaultPoolSettings,
  type PoolHead,
  type PoolSettings,
  type PoolState,
  type PoolTransaction,
  type Submission,
} from '../../src/pool/types.ts'

export const gwei = 10n ** 9n
export const coin = 10n ** 18n

export const address = (index: number): Uint8Array => fromBigInt(0xa000n + BigInt(index), 20)

interface TestAccount {
  nonce: bigint
  balance: bigint
  codeKind: ReturnType<PoolState['codeKind']>
}

/** The accounts, which a test can change; other accounts have one coin. */
class TestState implements PoolState {
  readonly accounts = new Map<string, TestAccount>()

  at(of: Uint8Array): TestAccount {
    const id = toHex(of)
    const account = this.accounts.get(id) ?? { nonce: 0n, balance: coin, codeKind: 'none' }
    this.accounts.set(id, account)
    return account
  }

  nonce(of: Uint8Array): bigint {
    return this.at(of).nonce
  }

  balance(of: Uint8Array): bigint {
    return this.at(of).balance
  }

  codeKind(of: Uint8Array): TestAccount['codeKind'] {
    return this.at(of).codeKind
  }
}

export const testHead: PoolHead = {
  number: 1n,
  time: 1n,
  gasLimit: 30_000_000n,
  baseFee: gwei,
  blobBaseFee: 1n,
  maxBlobs: 9,
  fork: 'osaka',
  chainId: 31_337n,
  limits: ethereumLimits,
}

export const dynamicFee = (fields: Partial<DynamicFeeFields> = {}): DynamicFeeFields => ({
  type: 2,
  chainId: 31_337n,
  nonce: 0n,
  maxPriorityFeePerGas: gwei,
  maxFeePerGas: 10n * gwei,
  gasLimit: 21_000n,
  to: address(999),
  value: 0n,
  data: new Uint8Array(0),
  accessList: [],
  ...fields,
})

/**
 * Returns a transaction whose signature is well formed and contains the number of the sender; the pool never checks
 * it.
 */
export const createSubmission = (fields: UnsignedTransaction, sender = 0): Submission => {
  const signature = { yParity: 0, r: BigInt(sender + 1), s: 1n }
  const read = decodeSubmission(encodeTransaction({ ...fields, signature } as Transaction))
  if (read.submission === undefined) throw new Error(read.rejection.message)
  return read.submission
}

interface TestPoolOptions {
  readonly settings?: Partial<PoolSettings>
  readonly head?: Partial<PoolHead>
  readonly blobs?: BlobPolicy
}

/** A listener that throws in a test is a mistake of the test, or what it looks for. */
const throwError = (error: unknown): never => {
  throw error
}

export const createTestPool = ({ settings, head, blobs }: TestPoolOptions = {}) => {
  const state = new TestState()
  const clock = { now: 0 }
  const pool = new TransactionPool(
    { ...defaultPoolSettings, ...settings },
    {
      state,
      head: { ...testHead, ...head },
      blobs: blobs ?? { accepted: false, rejection: 'no sidecar travels' },
      now: () => clock.now,
      onListenerError: throwError,
    },
  )
  const log: string[] = []
  const told = { pending: [] as PoolTransaction[], dropped: [] as PoolTransaction[] }
  pool.events.on('pending', (transaction) => {
    told.pending.push(transaction)
    log.push(`pending ${transaction.transaction.nonce}`)
  })
  pool.events.on('dropped', ({ transaction, reason }) => {
    told.dropped.push(transaction)
    log.push(`${reason} ${transaction.transaction.nonce}`)
  })
  const send = (
    sender: number,
    fields: UnsignedTransaction,
    isLocal = false,
    authorities: number[] = [],
  ): AddResult =>
    pool.add(
      createSubmission(fields, sender),
      { sender: address(sender), authorities: authorities.map(address) },
      isLocal,
    )
  /** Sends a plain transfer with this nonce and these fees in gwei. */
  const transfer = (
    sender: number,
    nonce: number,
    feeCap = 10,
    tip = 1,
    more: Partial<DynamicFeeFields> = {},
  ) =>
    send(
      sender,
      dynamicFee({
        nonce: BigInt(nonce),
        maxFeePerGas: BigInt(feeCap) * gwei,
        maxPriorityFeePerGas: BigInt(tip) * gwei,
        ...more,
      }),
    )
  const nonces = (list: readonly PoolTransaction[]): number[] =>
    list.map(({ transaction }) => Number(transaction.nonce))
  return {
    pool,
    state,
    clock,
    log,
    told,
    send,
    transfer,
    pending: (sender: number) => nonces(pool.pendingOf(address(sender))),
    queued: (sender: number) => nonces(pool.queuedOf(address(sender))),
    nextNonce: (sender: number) => Number(pool.nextNonce(address(sender))),
  }
}
