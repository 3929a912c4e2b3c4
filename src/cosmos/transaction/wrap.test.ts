import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  type SignedTransaction,
  signedTransactions,
  testSender,
} from '../../../test/support/arbitraryTransactions.ts'
import { readRecording, recordedHeights } from '../../../test/support/nativeRecordings.ts'
import { concatBytes } from '../../base/encoding/bytes.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { maxTransactionBytes } from '../../pool/admission/submission.ts'
import { codes } from '../codes.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../gen/cosmos/tx/v1beta1/tx_pb.ts'
import { decodeMessage, decodeTxBody, encodeTx } from '../protobuf.ts'
import { perihelionDialect } from './dialect.ts'
import { decodeProposerEntry, encodeProposerEntry } from './proposerEntry.ts'
import { maxNativeBytes, unwrapTransaction } from './unwrap.ts'
import { encodeMessage, maxFee, messageUrl, optionUrl, wrapTransaction } from './wrap.ts'

const dialect = { ...perihelionDialect, feeDenom: 'acoin' }
/** Returns a transaction that offers a fee, because a wrapper has a coin only then. */
const payingTransaction = (): SignedTransaction => {
  const paying = signedTransactions.filter(
    ({ transaction: tx }) => tx.type === 2 && tx.gasLimit * tx.maxFeePerGas > 0n,
  )
  const [tx] = fc.sample(paying, { numRuns: 1, seed: 3 })
  if (tx === undefined) throw new Error('no sample')
  return tx
}
const sample = wrapTransaction({ ...payingTransaction(), from: testSender }, dialect)

/** Returns the sample's wrapper with another body. */
const withBody = (change: (body: ReturnType<typeof sampleBody>) => void): Uint8Array => {
  const tx = decodeMessage(TxRawSchema, sample)
  const body = sampleBody()
  change(body)
  const authInfoBytes = tx?.authInfoBytes ?? new Uint8Array(0)
  return toBinary(
    TxRawSchema,
    create(TxRawSchema, { bodyBytes: toBinary(TxBodySchema, body), authInfoBytes }),
  )
}
const sampleBody = () => decodeTxBody(sample) as NonNullable<ReturnType<typeof decodeTxBody>>

const codeOf = (bytes: Uint8Array): number =>
  unwrapTransaction(bytes, dialect).rejection?.code ?? codes.success

describe('native transactions', () => {
  it('give back what was wrapped, for every type', () => {
    fc.assert(
      fc.property(signedTransactions, (tx) => {
        const native = { ...tx, from: testSender }
        const unwrapped = unwrapTransaction(wrapTransaction(native, dialect), dialect).native
        expect(unwrapped).toEqual(native)
      }),
      { numRuns: 300 },
    )
  })

  it('are wrapped as the library encodes their messages', () => {
    fc.assert(
      fc.property(signedTransactions, (tx) => {
        const native = { ...tx, from: testSender }
        const amount = maxFee(tx.transaction)
        const { gasLimit } = tx.transaction
        const expected = encodeTx({
          messages: [
            create(AnySchema, { typeUrl: messageUrl(dialect), value: encodeMessage(native, dialect) }),
          ],
          extensionOptions: [create(AnySchema, { typeUrl: optionUrl(dialect) })],
          authInfo: create(AuthInfoSchema, {
            fee: { amount: amount === 0n ? [] : [{ denom: 'acoin', amount: `${amount}` }], gasLimit },
          }),
        })
        expect(wrapTransaction(native, dialect)).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  it('unwrap to nothing but what wraps to the same bytes, whatever a byte is changed to', () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), at: fc.nat(), value: fc.nat(255) }),
      fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), value: fc.nat(255) }),
      fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), value: fc.nat(20) }),
    )
    let taken = 0
    fc.assert(
      fc.property(signedTransactions, fc.array(change, { minLength: 1, maxLength: 4 }), (tx, changes) => {
        let bytes = wrapTransaction({ ...tx, from: testSender }, dialect)
        for (const { kind, at, value } of changes) {
          const index = at % bytes.length
          const rest = bytes.subarray(kind === 'insert' ? index : index + (kind === 'cut' ? value : 1))
          const between = kind === 'cut' ? new Uint8Array(0) : Uint8Array.of(value)
          bytes = concatBytes(bytes.subarray(0, index), between, rest)
        }
        const { native } = unwrapTransaction(bytes, dialect)
        if (native === undefined) return
        taken++
        expect(wrapTransaction(native, dialect)).toEqual(bytes)
      }),
      { numRuns: 1_500 },
    )
    // Some changes give another valid transaction (another `from`, another signature): this shows that some were
    // checked.
    expect(taken).toBeGreaterThan(0)
  })

  it('never throw on bytes of any kind', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(unwrapTransaction(bytes, dialect).rejection?.code).toBeGreaterThanOrEqual(2)
        expect(decodeProposerEntry(bytes)).toBeUndefined()
      }),
      { numRuns: 2_000 },
    )
  })

  it('are rejected for what a wrapper must not have', () => {
    expect(codeOf(sample)).toBe(codes.success)
    expect(codeOf(withBody(() => {}))).toBe(codes.success)
    expect(codeOf(withBody((body) => void body.messages.push(...body.messages)))).toBe(codes.invalidRequest)
    expect(codeOf(withBody((body) => void body.messages.pop()))).toBe(codes.invalidRequest)
    expect(codeOf(withBody((body) => void body.extensionOptions.pop()))).toBe(codes.invalidRequest)
    const other = create(AnySchema, { typeUrl: '/cosmos.bank.v1beta1.MsgSend' })
    expect(codeOf(withBody((body) => void body.messages.splice(0, 1, other)))).toBe(codes.invalidType)
    expect(codeOf(withBody((body) => void body.extensionOptions.splice(0, 1, other)))).toBe(
      codes.invalidRequest,
    )
    // A memo, a signature, another coin: parts that do not follow from the Ethereum transaction.
    expect(codeOf(concatBytes(sample, Uint8Array.of(0x1a, 1, 0)))).toBe(codes.invalidRequest)
    expect(unwrapTransaction(sample, perihelionDialect).rejection?.code).toBe(codes.invalidRequest)
    expect(codeOf(new Uint8Array(maxNativeBytes + 1))).toBe(codes.tooLarge)
    expect(codeOf(new Uint8Array(0))).toBe(codes.invalidRequest)
    expect(codeOf(encodeProposerEntry({ height: 1n, reward: testSender }))).toBe(codes.invalidType)
  })

  it('are rejected as malformed, by their bytes alone, for fields that nobody knows and for too many of any kind', () => {
    const unknownField = Uint8Array.of(0x7a, 0)
    expect(codeOf(concatBytes(sample, unknownField))).toBe(codes.malformed)
    // A field that the SDK calls non-critical (bit 11 of its number) is not canonical here either.
    expect(codeOf(concatBytes(sample, Uint8Array.of(0x82, 0x40, 0)))).toBe(codes.malformed)
    const repeated = (field: Uint8Array, count: number): Uint8Array =>
      new Uint8Array(Buffer.alloc(field.length * count, field))
    for (const field of [unknownField, Uint8Array.of(0x1a, 0)])
      expect(codeOf(concatBytes(sample, repeated(field, 60_000)))).toBe(codes.malformed)
    const empty = create(AnySchema)
    expect(codeOf(withBody((body) => void body.messages.push(...Array(1_000).fill(empty))))).toBe(
      codes.malformed,
    )
  })

  it('may be as large as the pool takes them, and are rejected by their length alone above it', () => {
    const { transaction } = payingTransaction()
    // The highest fee and gas limit make the longest wrapper.
    const longest = {
      ...transaction,
      maxFeePerGas: 2n ** 256n - 1n,
      gasLimit: 2n ** 64n - 1n,
      data: new Uint8Array(maxTransactionBytes - 300),
    } as SignedTransaction['transaction']
    const raw = encodeTransaction(longest)
    expect(raw.length).toBeLessThanOrEqual(maxTransactionBytes)
    const native = { transaction: longest, raw, from: testSender }
    const overhead = wrapTransaction(native, perihelionDialect).length - raw.length
    expect(maxTransactionBytes + overhead).toBeLessThanOrEqual(maxNativeBytes)
    expect(
      unwrapTransaction(wrapTransaction(native, perihelionDialect), perihelionDialect).native,
    ).toBeDefined()
    expect(codeOf(new Uint8Array(maxNativeBytes + 1))).toBe(codes.tooLarge)
  })

  test.for(recordedHeights)('of block %i of a recorded chain are wrapped byte for byte', (height) => {
    const isEthereum = (bytes: Uint8Array): boolean =>
      decodeTxBody(bytes)?.messages[0]?.typeUrl === '/cosmos.evm.vm.v1.MsgEthereumTx'
    const theirs = readRecording(height).txs.filter(isEthereum)
    expect(theirs.length).toBeGreaterThan(0)
    const recorded = { ...perihelionDialect, feeDenom: 'atest' }
    for (const bytes of theirs) {
      const { native } = unwrapTransaction(bytes, recorded)
      expect(native && Buffer.from(wrapTransaction(native, recorded))).toEqual(bytes)
    }
  })
})

describe('the proposer entry', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.uint8Array({ minLength: 20, maxLength: 20 }),
        (height, reward) => {
          const entry = { height, reward }
          expect(decodeProposerEntry(encodeProposerEntry(entry))).toEqual(entry)
        },
      ),
    )
  })

  it('is nothing else', () => {
    const entry = encodeProposerEntry({ height: 7n, reward: testSender })
    expect(decodeProposerEntry(concatBytes(entry, Uint8Array.of(0x1a, 0)))).toBeUndefined()
    expect(
      decodeProposerEntry(encodeProposerEntry({ height: 7n, reward: new Uint8Array(19) })),
    ).toBeUndefined()
    expect(decodeProposerEntry(sample)).toBeUndefined()
  })
})
