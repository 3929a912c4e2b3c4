import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { encodeRlp } from '../../base/encoding/rlp.ts'
import { signedMessageHash } from '../../chain/signing/message.ts'
import { typedDataHash } from '../../chain/signing/typedData.ts'
import { encodeTransaction, toPayloadFields } from '../../chain/transaction/encode.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { UnsignedTransaction } from '../../chain/transaction/transaction.ts'
import { param } from '../../rpc/method.ts'
import {
  sendFromAccount,
  signWithAccount,
  type TransactionResult,
  toTransactionResult,
} from '../accounts/accountTransactions.ts'
import { estimateGas } from '../accounts/estimateGas.ts'
import { fillTransaction } from '../accounts/fillTransaction.ts'
import { signHash } from '../accounts/signing.ts'
import { receiptTimeout, waitForReceipt } from '../accounts/waitForReceipt.ts'
import { latest } from '../answers/lookup.ts'
import { devSigner } from '../dev/devSigner.ts'
import { throwIfFailed } from '../dev/failedSends.ts'
import { method, publicMethod } from '../method.ts'
import { Address, Data, Hash } from '../wire/data.ts'
import {
  alice,
  bob,
  filledTransaction,
  message,
  messageSignature,
  pendingTransaction,
  rawTransaction,
  receipt,
  transactionHash,
  typedData,
  typedDataSignature,
} from '../wire/exampleValues.ts'
import { Addresses, FilledTransaction, Receipt, SignedTransaction } from '../wire/results.ts'
import { SenderTransaction, UnfilledTransaction } from '../wire/transactionRequest.ts'
import { checkTypedData, TypedDataType } from '../wire/typedData.ts'

const signer = param('address', Address, 'The account that signs; it must be unlocked.')
const transfer = { from: alice, to: bob, value: '0xde0b6b3a7640000' }
const wholeTransfer = {
  ...transfer,
  gas: '0x5208',
  nonce: '0x0',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x3b9aca00',
}

/** The sender of a request without `from`. */
const zeroAddress = new Uint8Array(20)

/** Returns the JSON of an unsigned transaction, in which v, r and s are zero as in geth. */
const toUnsignedResult = (unsigned: UnsignedTransaction, sender: Uint8Array): TransactionResult => {
  const transaction = { ...unsigned, signature: { yParity: 0, r: 0n, s: 0n } }
  // The v of a legacy transaction would contain the chain id.
  const raw =
    transaction.type === 0
      ? encodeRlp(toPayloadFields(transaction).with(6, emptyBytes))
      : encodeTransaction(transaction)
  return { raw: toHex(raw), tx: { ...toTransactionResult(transaction, keccak256(raw), sender), v: '0x0' } }
}

export const accountMethods = [
  publicMethod({
    name: 'eth_accounts',
    summary: 'Lists the accounts that the node manages.',
    params: [],
    result: { name: 'accounts', type: Addresses },
    examples: [{ name: 'two accounts', params: [], result: [alice, bob] }],
    handler: (_, { accounts, chain }) => {
      // Libraries look here whether they may send from an account.
      const impersonated = chain.dev?.impersonated().filter((address) => !accounts.has(address)) ?? []
      return [...accounts.list(), ...impersonated].map(toHex)
    },
  }),
  method({
    name: 'eth_sign',
    summary: 'Signs a message with an unlocked account, behind the prefix for signed messages (EIP-191).',
    access: 'signing',
    params: [signer, param('message', Data, 'The message.')],
    result: { name: 'signature', type: Data },
    examples: [{ name: 'four bytes', params: [alice, message], result: messageSignature }],
    handler: ([address, bytes], { accounts }) => signHash(accounts, address, signedMessageHash(bytes)),
  }),
  method({
    name: 'eth_signTypedData_v4',
    summary: 'Signs structured data with an unlocked account (EIP-712).',
    access: 'signing',
    params: [signer, param('typedData', TypedDataType, 'Types, domain and message; an object or its JSON.')],
    result: { name: 'signature', type: Data },
    examples: [{ name: 'a mail', params: [alice, typedData], result: typedDataSignature }],
    handler: ([address, data], { accounts }) =>
      signHash(
        accounts,
        address,
        checkTypedData(() => typedDataHash(data)),
      ),
  }),
  method({
    name: 'eth_signTransaction',
    summary: 'Signs a transaction with an unlocked account and sends nothing.',
    access: 'signing',
    params: [param('transaction', SenderTransaction, 'What to sign; with gas, fees and nonce.')],
    result: { name: 'signed', type: SignedTransaction },
    examples: [
      {
        name: 'a transfer',
        params: [wholeTransfer],
        result: { raw: rawTransaction, tx: pendingTransaction },
      },
    ],
    handler: ([request], context) => signWithAccount(context, request, context.accounts),
  }),
  publicMethod({
    name: 'eth_fillTransaction',
    summary: 'Fills in what a transaction leaves open and signs nothing.',
    work: 'evm',
    params: [
      param(
        'transaction',
        UnfilledTransaction,
        'What to fill in; the gas is the estimate where none is given.',
      ),
    ],
    result: { name: 'filled', type: FilledTransaction },
    examples: [{ name: 'a transfer', params: [wholeTransfer], result: filledTransaction }],
    handler: async ([request], { chain }, { signal }) => {
      const from = request.from ?? zeroAddress
      const gasOf = (filled: TransactionRequest) => estimateGas(chain, { request: filled }, latest, signal)
      return toUnsignedResult(await fillTransaction(chain, { ...request, from }, gasOf), from)
    },
  }),
  method({
    name: 'eth_sendTransaction',
    summary:
      'Signs a transaction with an unlocked account and sends it; without gas it gets 90000, or what it needs if that is more.',
    access: 'signing',
    work: 'write',
    params: [param('transaction', SenderTransaction, 'What to sign and send.')],
    result: { name: 'transactionHash', type: Hash },
    examples: [{ name: 'a transfer', params: [transfer], result: transactionHash }],
    handler: async ([request], context, scope) => {
      const hash = await sendFromAccount(context, request, devSigner(context), scope)
      await throwIfFailed(context, hash, scope)
      return hash
    },
  }),
  method({
    name: 'eth_sendTransactionSync',
    summary:
      'Signs a transaction with an unlocked account, sends it, and gives its receipt once it is in a block.',
    access: 'signing',
    work: 'write',
    params: [param('transaction', SenderTransaction, 'What to sign and send.'), receiptTimeout],
    result: { name: 'receipt', type: Receipt },
    examples: [{ name: 'a transfer', params: [transfer], result: receipt }],
    handler: async ([request, timeout], context, scope) => {
      const hash = await sendFromAccount(context, request, devSigner(context), scope)
      return waitForReceipt(context.chain, hash, timeout, scope)
    },
  }),
]
