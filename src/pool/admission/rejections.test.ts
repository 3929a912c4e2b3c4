import { describe, expect, it } from 'vitest'
import {
  address,
  coin,
  createSubmission,
  createTestPool,
  dynamicFee,
  gwei,
} from '../../../test/support/pool.ts'
import { encodePooledTransaction, versionedHash } from '../../chain/transaction/pooled.ts'
import type { BlobFields, BlobSidecar, UnsignedTransaction } from '../../chain/transaction/transaction.ts'
import type { AddResult } from '../types.ts'
import { decodeSubmission } from './submission.ts'

const text = ({ rejection }: AddResult): string => rejection?.message ?? 'taken'

const legacy = (chainId: bigint | undefined): UnsignedTransaction => ({
  type: 0,
  chainId,
  nonce: 0n,
  gasPrice: 10n * gwei,
  gasLimit: 21_000n,
  to: address(999),
  value: 0n,
  data: new Uint8Array(0),
})

describe('the bytes', () => {
  const messageOf = (raw: Uint8Array): string => {
    const read = decodeSubmission(raw)
    return read.submission === undefined ? read.rejection.message : 'read'
  }

  it('are of a known type', () => {
    expect(messageOf(Uint8Array.of(0x05, 0xc0))).toBe('transaction type not supported')
  })

  it('are RLP', () => {
    expect(messageOf(Uint8Array.of(0x02, 0xc1))).toMatch(/^invalid transaction: /)
    expect(messageOf(new Uint8Array(0))).toBe('invalid transaction: no transaction')
  })

  it('have a signature of the right form', () => {
    const raw = createSubmission(legacy(undefined)).raw.slice()
    raw[raw.length - 3] = 29 // v
    expect(messageOf(raw)).toBe('invalid transaction v, r, s values')
  })

  it('are not read when nothing of that size could be taken', () => {
    expect(messageOf(new Uint8Array(1024 * 1024 + 1))).toBe(
      'oversized data: transaction size 1048577, limit 131072',
    )
  })
})

describe('what the pool rejects, in the words of geth', () => {
  it('a transaction that it has', () => {
    const { send } = createTestPool()
    send(1, dynamicFee())
    expect(text(send(1, dynamicFee()))).toBe('already known')
  })

  it('a fee over the cap, of a local transaction', () => {
    const { send, state } = createTestPool({ settings: { feeCap: coin } })
    state.at(address(1)).balance = 100n * coin
    const costly = dynamicFee({ gasLimit: 1_000_000n, maxFeePerGas: 1_050n * gwei })
    expect(text(send(1, costly, true))).toBe('tx fee (1.05 ether) exceeds the configured cap (1.00 ether)')
    expect(text(send(1, costly, false))).toBe('taken')
  })

  it('a local transaction for any chain', () => {
    const { send } = createTestPool()
    expect(text(send(1, legacy(undefined), true))).toBe(
      'only replay-protected (EIP-155) transactions allowed over RPC',
    )
    expect(text(send(1, legacy(undefined), false))).toBe('taken')
    const { send: sendThere } = createTestPool({ settings: { allowUnprotected: true } })
    expect(text(sendThere(1, legacy(undefined), true))).toBe('taken')
  })

  it('more than 128 KiB', () => {
    const { send } = createTestPool()
    const { size } = createSubmission(dynamicFee({ data: new Uint8Array(131_072) }))
    expect(text(send(1, dynamicFee({ data: new Uint8Array(131_072) })))).toBe(
      `oversized data: transaction size ${size}, limit 131072`,
    )
  })

  it.each([
    ['berlin', 1, 'istanbul'],
    ['london', 2, 'berlin'],
    ['prague', 4, 'cancun'],
  ] as const)('a type before its fork: %s brings type %i', (first, type, before) => {
    const fields = { ...dynamicFee(), gasPrice: 10n * gwei, authorizations: [], type } as UnsignedTransaction
    const { send } = createTestPool({ head: { fork: before } })
    expect(text(send(1, fields))).toBe('transaction type not supported')
    const { send: sendThere } = createTestPool({ head: { fork: first } })
    expect(text(sendThere(1, fields))).not.toBe('transaction type not supported')
  })

  it('init code over its limit, from Shanghai on', () => {
    const fields = dynamicFee({ to: undefined, data: new Uint8Array(49_153), gasLimit: 10_000_000n })
    const { send } = createTestPool()
    expect(text(send(1, fields))).toBe('max initcode size exceeded: code size 49153 limit 49152')
    const { send: sendThere } = createTestPool({ head: { fork: 'paris' } })
    expect(text(sendThere(1, fields))).toBe('taken')
  })

  it('gas over the cap of a transaction, from Osaka on', () => {
    const fields = dynamicFee({ gasLimit: 16_777_217n })
    const { send } = createTestPool()
    expect(text(send(1, fields))).toBe('transaction gas limit too high (cap: 16777216, tx: 16777217)')
    const { send: sendThere } = createTestPool({ head: { fork: 'prague' } })
    expect(text(sendThere(1, fields))).toBe('taken')
  })

  it('gas over that of a block', () => {
    const { send } = createTestPool({ head: { gasLimit: 20_999n } })
    expect(text(send(1, dynamicFee()))).toBe('exceeds block gas limit')
  })

  it('a tip over the fee', () => {
    const { transfer } = createTestPool()
    expect(text(transfer(1, 0, 1, 2))).toBe('max priority fee per gas higher than max fee per gas')
  })

  it('another chain, of typed and of legacy transactions', () => {
    const { send } = createTestPool()
    const wrong = 'invalid sender: invalid chain id for signer: have 1 want 31337'
    expect(text(send(1, dynamicFee({ chainId: 1n })))).toBe(wrong)
    expect(text(send(1, legacy(1n)))).toBe(wrong)
    expect(text(send(1, legacy(31_337n)))).toBe('taken')
  })

  it('the last nonce', () => {
    const { send } = createTestPool()
    expect(text(send(1, dynamicFee({ nonce: 2n ** 64n - 1n })))).toBe('nonce has max value')
  })

  it('less gas than the transaction itself takes', () => {
    const { send } = createTestPool()
    expect(text(send(1, dynamicFee({ gasLimit: 20_999n })))).toBe(
      'intrinsic gas too low: gas 20999, minimum needed 21000',
    )
  })

  it('less gas than its data takes at least, from Prague on', () => {
    const fields = dynamicFee({ data: new Uint8Array(100).fill(1), gasLimit: 24_999n })
    const { send } = createTestPool()
    expect(text(send(1, fields))).toBe(
      'insufficient gas for floor data gas cost: gas 24999, minimum needed 25000',
    )
    const { send: sendThere } = createTestPool({ head: { fork: 'cancun' } })
    expect(text(sendThere(1, fields))).toBe('taken')
  })

  it('less than the minimum price', () => {
    const { transfer } = createTestPool({ settings: { minimumGasPrice: 5n * gwei } })
    expect(text(transfer(1, 0, 4))).toBe(
      'transaction underpriced: gas fee cap 4000000000, minimum needed 5000000000',
    )
    expect(text(transfer(1, 0, 5))).toBe('taken')
  })

  it('less than the base fee, only if the setting says so', () => {
    const head = { baseFee: 20n * gwei }
    const { transfer } = createTestPool({ head, settings: { rejectBelowBaseFee: true } })
    expect(text(transfer(1, 0))).toBe(
      'max fee per gas less than block base fee: address 0x000000000000000000000000000000000000a001, ' +
        'maxFeePerGas: 10000000000, baseFee: 20000000000',
    )
    const { transfer: transferThere } = createTestPool({ head })
    expect(text(transferThere(1, 0))).toBe('taken')
  })

  it('a nonce of the past', () => {
    const { transfer, state } = createTestPool()
    state.at(address(1)).nonce = 7n
    expect(text(transfer(1, 6))).toBe('nonce too low: next nonce 7, tx nonce 6')
  })

  it('a contract as sender, but not a delegated account', () => {
    const { transfer, state } = createTestPool()
    state.at(address(1)).codeKind = 'contract'
    state.at(address(2)).codeKind = 'delegation'
    expect(text(transfer(1, 0))).toBe('sender not an eoa: address 0x000000000000000000000000000000000000a001')
    expect(text(transfer(2, 0))).toBe('taken')
  })

  it('what its sender cannot pay', () => {
    const { transfer, state } = createTestPool()
    state.at(address(1)).balance = 100n
    expect(text(transfer(1, 0))).toBe(
      'insufficient funds for gas * price + value: balance 100, tx cost 210000000000000, overshot 209999999999900',
    )
  })

  it('what its sender cannot pay with all that is pending', () => {
    const { transfer, state, queued } = createTestPool()
    const cost = 210_000n * gwei
    state.at(address(1)).balance = 2n * cost
    transfer(1, 0)
    transfer(1, 1)
    const expected = `balance ${2n * cost}, queued cost ${2n * cost}, tx cost ${cost}, overshot ${cost}`
    expect(text(transfer(1, 2))).toBe(`insufficient funds for gas * price + value: ${expected}`)
    expect(text(transfer(1, 9))).toBe(`insufficient funds for gas * price + value: ${expected}`)
    expect(queued(1)).toEqual([])
  })

  it('a replacement that its sender cannot pay', () => {
    const { transfer, state } = createTestPool()
    const cost = 210_000n * gwei
    state.at(address(1)).balance = 2n * cost
    transfer(1, 0)
    transfer(1, 1)
    expect(text(transfer(1, 0, 20, 2))).toBe(
      `insufficient funds for gas * price + value: balance ${2n * cost}, queued cost ${2n * cost}, tx bumped ${cost}, overshot ${cost}`,
    )
  })

  it('a set-code transaction without authorizations, or that creates', () => {
    const { send } = createTestPool()
    const fields = { ...dynamicFee({ gasLimit: 100_000n }), type: 4, authorizations: [] } as const
    expect(text(send(1, fields))).toBe('set code tx must have at least one authorization tuple')
    expect(text(send(1, { ...fields, to: undefined }))).toBe(
      'EIP-7702 transaction cannot be used to create contract',
    )
  })
})

describe('delegated accounts', () => {
  const setCode = (nonce = 0n): UnsignedTransaction => ({
    ...dynamicFee({ nonce, gasLimit: 100_000n }),
    type: 4,
    authorizations: [{ chainId: 0n, address: address(5), nonce: 0n, yParity: 0, r: 1n, s: 1n }],
  })

  it('have one transaction in flight, which can be replaced', () => {
    const { transfer, state } = createTestPool()
    state.at(address(1)).codeKind = 'delegation'
    expect(text(transfer(1, 1))).toBe('gapped-nonce tx from delegated accounts')
    expect(text(transfer(1, 0))).toBe('taken')
    expect(text(transfer(1, 1))).toBe('in-flight transaction limit reached for delegated accounts')
    expect(text(transfer(1, 0, 20, 2))).toBe('taken')
  })

  it('are those with an authorization in the pool as well, until it is dropped', () => {
    const { send, transfer, pool } = createTestPool()
    const { transaction } = send(1, setCode(), false, [2])
    expect(text(transfer(2, 1))).toBe('gapped-nonce tx from delegated accounts')
    expect(text(transfer(2, 0))).toBe('taken')
    expect(text(transfer(2, 1))).toBe('in-flight transaction limit reached for delegated accounts')
    pool.remove(transaction?.hash ?? new Uint8Array(32))
    expect(text(transfer(2, 1))).toBe('taken')
  })

  it('cannot be authorities with more than one transaction in flight', () => {
    const { send, transfer } = createTestPool()
    transfer(2, 0)
    expect(text(send(1, setCode(), false, [2]))).toBe('taken')
    transfer(3, 0)
    transfer(3, 1)
    expect(text(send(4, setCode(), false, [3]))).toBe('authority already reserved')
  })
})

describe('blob transactions', () => {
  const sidecar = (version: 0 | 1, blobs = 1): BlobSidecar => ({
    version,
    blobs: Array.from({ length: blobs }, () => new Uint8Array(131_072)),
    commitments: Array.from({ length: blobs }, () => new Uint8Array(48)),
    proofs: Array.from({ length: version === 0 ? blobs : blobs * 128 }, () => new Uint8Array(48)),
  })
  const blob = ({ commitments }: BlobSidecar, more: Partial<BlobFields> = {}): BlobFields => ({
    ...dynamicFee(),
    type: 3,
    maxFeePerBlobGas: gwei,
    blobVersionedHashes: commitments.map(versionedHash),
    ...more,
  })
  const open = (head = {}) => {
    const test = createTestPool({ blobs: { accepted: true }, head })
    test.state.at(address(1)).balance = 100n * coin
    const sendBlobs = (fields: BlobFields, carried: BlobSidecar | undefined): string => {
      const transaction = { ...fields, signature: { yParity: 0, r: 1n, s: 1n } }
      const read = decodeSubmission(encodePooledTransaction({ transaction, sidecar: carried }))
      if (read.submission === undefined) return read.rejection.message
      return text(test.pool.add(read.submission, { sender: address(1), authorities: [] }, false))
    }
    return { ...test, sendBlobs }
  }

  it('are rejected in the words of the caller if no sidecar travels', () => {
    const { send } = createTestPool()
    expect(text(send(1, blob(sidecar(1))))).toBe('no sidecar travels')
  })

  it('need their sidecar, in the form of the fork', () => {
    const { sendBlobs } = open()
    expect(sendBlobs(blob(sidecar(1)), undefined)).toBe('missing sidecar in blob transaction')
    expect(sendBlobs(blob(sidecar(0)), sidecar(0))).toBe('taken')
    expect(sendBlobs(blob(sidecar(1), { nonce: 1n }), sidecar(1))).toBe('taken')
    const before = open({ fork: 'prague' })
    expect(before.sendBlobs(blob(sidecar(1)), sidecar(1))).toBe(
      'Wrong sidecar format: unexpected sidecar version, want: 0, got: 1',
    )
    expect(before.sendBlobs(blob(sidecar(0)), sidecar(0))).toBe('taken')
  })

  it('need their own sidecar', () => {
    const { sendBlobs } = open()
    const other = { blobVersionedHashes: [new Uint8Array(32)] }
    expect(sendBlobs(blob(sidecar(1), other), sidecar(1))).toMatch(
      /^blob 0: computed hash 0x01[0-9a-f]{62} mismatches transaction one 0x0{64}$/,
    )
  })

  it('are at most 16 of one account', () => {
    const { sendBlobs } = open()
    const send = (nonce: bigint, more: Partial<BlobFields> = {}) =>
      sendBlobs(blob(sidecar(0), { nonce, ...more }), sidecar(0))
    for (let nonce = 0n; nonce < 16n; nonce++) expect(send(nonce)).toBe('taken')
    expect(send(16n)).toBe('account limit exceeded: pooled 16 txs')
    const fees = { maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: 2n * gwei, maxFeePerBlobGas: 2n * gwei }
    expect(send(15n, fees)).toBe('taken')
  })

  it('have no more blobs than a block may have', () => {
    const { sendBlobs, pool, pending } = open({ maxBlobs: 3 })
    expect(sendBlobs(blob(sidecar(1, 4)), sidecar(1, 4))).toBe(
      'transaction blob limit exceeded: blob count 4, limit 3',
    )
    expect(sendBlobs(blob(sidecar(1, 3)), sidecar(1, 3))).toBe('taken')
    expect(sendBlobs(blob(sidecar(1, 1), { nonce: 1n }), sidecar(1, 1))).toBe('taken')
    // A later fork allows fewer: the first can be in no block any more, and the second waits for another one in its place.
    pool.onHead({ ...pool.head, maxBlobs: 2 }, { included: [], changed: [] })
    expect(pending(1)).toEqual([])
    expect(pool.counts).toEqual({ pending: 0, queued: 1 })
  })

  it('have one to six blobs, a price and a destination', () => {
    const { sendBlobs } = open()
    expect(sendBlobs(blob(sidecar(1, 0)), sidecar(1, 0))).toBe('blobless blob transaction')
    expect(sendBlobs(blob(sidecar(1, 7)), sidecar(1, 7))).toBe(
      'transaction blob limit exceeded: blob count 7, limit 6',
    )
    expect(sendBlobs(blob(sidecar(1), { maxFeePerBlobGas: 0n }), sidecar(1))).toBe(
      'transaction underpriced: blob fee cap 0, minimum needed 1',
    )
    expect(sendBlobs(blob(sidecar(1), { to: undefined, gasLimit: 100_000n }), sidecar(1))).toBe(
      'blob transaction of type create',
    )
  })

  it('wait for no gap', () => {
    const { sendBlobs } = open()
    expect(sendBlobs(blob(sidecar(1), { nonce: 2n }), sidecar(1))).toBe(
      'nonce too high: tx nonce 2, gapped nonce 0',
    )
  })

  it('are replaced for twice each of their fees', () => {
    const { sendBlobs, log } = open()
    sendBlobs(blob(sidecar(1)), sidecar(1))
    const fees = { maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: 2n * gwei, maxFeePerBlobGas: 2n * gwei }
    const short = 'replacement transaction underpriced'
    for (const name of ['maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas'] as const)
      expect(sendBlobs(blob(sidecar(1), { ...fees, [name]: fees[name] - 1n }), sidecar(1))).toBe(short)
    expect(sendBlobs(blob(sidecar(1), fees), sidecar(1))).toBe('taken')
    expect(log).toEqual(['pending 0', 'pending 0', 'replaced 0'])
  })

  it('take capacity by the size of their sidecar', () => {
    const { sendBlobs, pool } = open()
    for (let nonce = 0; nonce < 3; nonce++)
      sendBlobs(blob(sidecar(1, 6), { nonce: BigInt(nonce) }), sidecar(1, 6))
    expect(pool.counts.pending).toBe(3)
    expect([...pool.transactions()].map(({ slots }) => slots)).toEqual([26, 26, 26])
  })
})
