import { create, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { toHex } from '../../../src/base/encoding/hex.ts'
import type { Log } from '../../../src/chain/block/receiptLog.ts'
import type { RecoveredTransaction } from '../../../src/chain/transaction/transaction.ts'
import { TxMsgDataSchema } from '../../../src/cosmos/gen/cosmos/base/abci/v1beta1/abci_pb.ts'
import { MsgEthereumTxResponseSchema } from '../../../src/cosmos/gen/cosmos/evm/vm/v1/tx_pb.ts'
import { AuthInfoSchema } from '../../../src/cosmos/gen/cosmos/tx/v1beta1/tx_pb.ts'
import { MsgEthereumTxSchema } from '../../../src/cosmos/gen/ethermint/evm/v1/tx_pb.ts'
import { encodeTx } from '../../../src/cosmos/protobuf.ts'
import { encodeTxData } from '../../../src/cosmos/transaction/txData.ts'

/** Native transactions and results with any number of Ethereum messages, in every layout. */

const any = (typeUrl: string, value: Uint8Array): Any => create(AnySchema, { typeUrl, value })

/** A message that no Ethereum transaction is. */
export const bankSend = any('/cosmos.bank.v1beta1.MsgSend', Uint8Array.of(10, 1, 97))

export const inParts = ({ transaction }: RecoveredTransaction, evmPackage = 'ethermint.evm.v1'): Any =>
  any(
    `/${evmPackage}.MsgEthereumTx`,
    toBinary(
      MsgEthereumTxSchema,
      // What stands beside the parts is not to be believed.
      create(MsgEthereumTxSchema, {
        data: encodeTxData(transaction, evmPackage),
        size: 3.5,
        hash: '0x1234',
        fromText: 'nobody',
      }),
    ),
  )

export const asBytes = (
  { raw, sender }: RecoveredTransaction,
  evmPackage = 'cosmos.evm.vm.v1',
  from = sender,
): Any =>
  any(
    `/${evmPackage}.MsgEthereumTx`,
    toBinary(MsgEthereumTxSchema, create(MsgEthereumTxSchema, { from, raw })),
  )

export const nativeTx = (...messages: Any[]): Uint8Array =>
  encodeTx({ messages, extensionOptions: [], authInfo: create(AuthInfoSchema) })

export interface Answer {
  readonly hash?: Uint8Array
  readonly vmError?: string
  readonly gasUsed: bigint
  readonly logs?: readonly Log[]
}

const response = ({ hash, vmError = '', gasUsed, logs = [] }: Answer): Uint8Array =>
  toBinary(
    MsgEthereumTxResponseSchema,
    create(MsgEthereumTxResponseSchema, {
      hash: hash ? toHex(hash) : '',
      vmError,
      gasUsed,
      logs: logs.map(({ address, topics, data }) => ({
        address: toHex(address),
        topics: topics.map(toHex),
        data,
        // Counted by each family in its own way.
        index: 99n,
      })),
    }),
  )

export const newData = (answers: readonly Answer[], evmPackage = 'ethermint.evm.v1'): Uint8Array =>
  toBinary(
    TxMsgDataSchema,
    create(TxMsgDataSchema, {
      msgResponses: [
        any('/cosmos.bank.v1beta1.MsgSendResponse', new Uint8Array(0)),
        ...answers.map((answer) => any(`/${evmPackage}.MsgEthereumTxResponse`, response(answer))),
      ],
    }),
  )

/** Up to SDK 0.45. */
export const oldData = (answers: readonly Answer[], evmPackage = 'ethermint.evm.v1'): Uint8Array =>
  toBinary(
    TxMsgDataSchema,
    create(TxMsgDataSchema, {
      data: answers.map((answer) => ({
        msgType: `/${evmPackage}.MsgEthereumTx`,
        data: response(answer),
      })),
    }),
  )
