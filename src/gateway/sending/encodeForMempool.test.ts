import { fromBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { signedTransactions, testSender } from '../../../test/support/arbitraryTransactions.ts'
import { createCandidate } from '../../../test/support/signedCandidates.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { TransactionError } from '../../chain/transaction/transaction.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../../cosmos/gen/cosmos/tx/v1beta1/tx_pb.ts'
import { MsgEthereumTxSchema } from '../../cosmos/gen/ethermint/evm/v1/tx_pb.ts'
import { decodeContents } from '../../cosmos/transaction/contents.ts'
import { perihelionDialect } from '../../cosmos/transaction/dialect.ts'
import { unwrapTransaction } from '../../cosmos/transaction/unwrap.ts'
import { dialectOf } from '../../families/families.ts'
import { encodeForMempool } from './encodeForMempool.ts'

const { raw, hash, sender } = createCandidate(0, 3n)

const dialect = (family: string, evmPackage = 'cosmos.evm.vm.v1', feeDenom = 'atest') =>
  dialectOf({ family, evmPackage, feeDenom })

const opened = (bytes: Uint8Array) => {
  const tx = fromBinary(TxRawSchema, bytes)
  const body = fromBinary(TxBodySchema, tx.bodyBytes)
  const [message] = body.messages
  return {
    signatures: tx.signatures,
    options: body.extensionOptions.map(({ typeUrl }) => typeUrl),
    type: message?.typeUrl,
    message: fromBinary(MsgEthereumTxSchema, message?.value ?? new Uint8Array(0)),
    fee: fromBinary(AuthInfoSchema, tx.authInfoBytes).fee,
  }
}

describe('encodeForMempool', () => {
  it.each([
    ['cosmos-evm-0.4', 'cosmos.evm.vm.v1'],
    ['cosmos-evm-0.7', 'cosmos.evm.vm.v1'],
    ['perihelion', 'cosmos.evm.vm.v1'],
    ['cosmos-evm-0.5', 'stratos.evm.v1'],
  ] as const)('%s takes signed bytes', (family, evmPackage) => {
    const { message, ...wrapped } = opened(encodeForMempool(raw, sender, dialect(family, evmPackage)))
    expect(wrapped).toMatchObject({
      signatures: [],
      options: [`/${evmPackage}.ExtensionOptionsEthereumTx`],
      type: `/${evmPackage}.MsgEthereumTx`,
      fee: { amount: [{ denom: 'atest', amount: `${21_000n * 10n ** 10n}` }], gasLimit: 21_000n },
    })
    expect(message).toMatchObject({ from: sender, raw, hash: '', fromText: '', size: 0 })
    expect(message.data).toBeUndefined()
  })

  it.each([
    ['ethermint', 'ethermint.evm.v1'],
    ['cosmos-evm-0.1', 'cosmos.evm.vm.v1'],
  ] as const)('%s takes it in parts, without a sender', (family, evmPackage) => {
    const { message, type } = opened(encodeForMempool(raw, sender, dialect(family, evmPackage)))
    expect(type).toBe(`/${evmPackage}.MsgEthereumTx`)
    expect(message).toMatchObject({
      hash: toHex(hash),
      fromText: '',
      size: 0,
      from: new Uint8Array(0),
      raw: new Uint8Array(0),
    })
    expect(message.data?.typeUrl).toBe(`/${evmPackage}.DynamicFeeTx`)
  })

  it('names no coin where nothing is paid', () => {
    const free = createCandidate(0, 0n, { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })
    expect(opened(encodeForMempool(free.raw, free.sender, dialect('cosmos-evm-0.7'))).fee?.amount).toEqual([])
  })

  it('is what the application of this project takes', () => {
    const bytes = encodeForMempool(raw, sender, dialect('perihelion', undefined, 'aperihelion'))
    expect(unwrapTransaction(bytes, perihelionDialect).native).toMatchObject({ raw, from: sender })
  })

  it('gives back every transaction of the types that a family has', () => {
    const families = ['ethermint', 'cosmos-evm-0.1', 'cosmos-evm-0.7']
    fc.assert(
      fc.property(signedTransactions, fc.constantFrom(...families), (signed, family) => {
        const { type } = signed.transaction
        const run = () => encodeForMempool(signed.raw, testSender, dialect(family))
        if (type === 3 || (type === 4 && family !== 'cosmos-evm-0.7')) {
          expect(run).toThrow(TransactionError)
          return
        }
        const [message] = decodeContents(run())?.ethereum ?? []
        expect(toHex(message?.raw ?? new Uint8Array(0))).toBe(toHex(signed.raw))
      }),
      { numRuns: 150 },
    )
  })

  it('rejects bytes that are not a transaction', () => {
    expect(() => encodeForMempool(Uint8Array.of(1, 2), sender, dialect('ethermint'))).toThrow(
      TransactionError,
    )
  })
})
