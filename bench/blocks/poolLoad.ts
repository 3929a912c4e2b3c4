import { privateKeyToAddress } from '../../src/base/crypto/crypto.ts'
import { ethereumLimits } from '../../src/chain/config/limits.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import { signTransaction } from '../../src/chain/transaction/signature.ts'
import { decodeSubmission } from '../../src/pool/admission/submission.ts'
import { TransactionPool } from '../../src/pool/pool.ts'
import {
  defaultPoolSettings,
  type PoolHead,
  type PoolSettings,
  type PoolState,
  type Signers,
  type Submission,
} from '../../src/pool/types.ts'

/** Transactions of many senders, and a state in which they are valid. */
export interface PoolLoad {
  readonly raws: readonly Uint8Array[]
  readonly submissions: readonly Submission[]
  readonly senders: readonly Uint8Array[]
  readonly state: PoolState
}

const head: PoolHead = {
  number: 1n,
  time: 1n,
  gasLimit: 60_000_000n,
  baseFee: 10n ** 9n,
  blobBaseFee: 1n,
  maxBlobs: 0,
  fork: 'osaka',
  chainId: 31_337n,
  limits: ethereumLimits,
}

export const read = (raw: Uint8Array): Submission => decodeSubmission(raw).submission as Submission

/** Round robin over the senders, nonces ascending, prices from a small generator so that every run is the same. */
export const makePoolLoad = (total: number, senderCount: number): PoolLoad => {
  const keys = Array.from({ length: senderCount }, (_, index) => {
    const key = new Uint8Array(32).fill(1)
    new DataView(key.buffer).setUint32(0, index + 1)
    return key
  })
  const senders = keys.map((key) => privateKeyToAddress(key))
  let seed = 42
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed % below
  }
  const raws = Array.from({ length: total }, (_, index) => {
    const tip = BigInt(1 + random(1_000_000_000))
    return encodeTransaction(
      signTransaction(
        {
          type: 2,
          chainId: head.chainId,
          nonce: BigInt(Math.floor(index / senderCount)),
          maxPriorityFeePerGas: tip,
          maxFeePerGas: 2n * 10n ** 9n + tip,
          gasLimit: 21_000n,
          to: senders[(index + 1) % senderCount] as Uint8Array,
          value: 1n,
          data: new Uint8Array(0),
          accessList: [],
        },
        keys[index % senderCount] as Uint8Array,
      ),
    )
  })
  const state: PoolState = { nonce: () => 0n, balance: () => 10n ** 24n, codeKind: () => 'none' }
  return { raws, submissions: raws.map(read), senders, state }
}

const throwError = (error: unknown): never => {
  throw error
}

export const createPool = ({ raws, state }: PoolLoad, settings: Partial<PoolSettings> = {}) =>
  new TransactionPool(
    { ...defaultPoolSettings, globalSlots: 2 * raws.length, globalQueue: 2 * raws.length, ...settings },
    {
      state,
      head,
      blobs: { accepted: false, rejection: 'no blobs' },
      now: () => performance.now(),
      onListenerError: throwError,
    },
  )

export const signersOf = ({ senders }: PoolLoad, index: number): Signers => ({
  sender: senders[index % senders.length] as Uint8Array,
  authorities: [],
})

export const selectLimits = (transfers: number) => ({
  baseFee: head.baseFee,
  blobBaseFee: 1n,
  minTip: 0n,
  gasLimit: BigInt(transfers) * 21_000n,
  maxBytes: 10_000_000,
  maxBlobs: 0,
})

/** Runs work in the state after a block with these transactions. */
export const withNonces = async <T>(
  { state }: PoolLoad,
  included: readonly {
    readonly sender: Uint8Array
    readonly transaction: { readonly nonce: bigint }
  }[],
  work: (head: PoolHead) => Promise<T>,
): Promise<T> => {
  const nonces = new Map<string, bigint>()
  for (const { sender, transaction } of included) nonces.set(sender.toString(), transaction.nonce + 1n)
  state.nonce = (address) => nonces.get(address.toString()) ?? 0n
  try {
    return await work({ ...head, number: 2n, baseFee: head.baseFee + 1n })
  } finally {
    state.nonce = () => 0n
  }
}
