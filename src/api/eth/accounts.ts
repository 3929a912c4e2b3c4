import { param } from '../../rpc/method.ts'
import { method } from '../method.ts'
import {
  alice,
  bob,
  message,
  messageSignature,
  pendingTransaction,
  rawTransaction,
  transactionHash,
} from '../samples.ts'
import { notYet } from '../unsupported.ts'
import { Address, Data, Hash } from '../wire/data.ts'
import { Addresses, SignedTransaction } from '../wire/results.ts'
import { SenderTransaction } from '../wire/transactionRequest.ts'

const transfer = { from: alice, to: bob, value: '0xde0b6b3a7640000' }

export const accountMethods = [
  method({
    name: 'eth_accounts',
    summary: 'Lists the accounts that the node manages.',
    access: 'public',
    params: [],
    result: { name: 'accounts', type: Addresses },
    examples: [{ name: 'two accounts', params: [], result: [alice, bob] }],
    handler: notYet,
  }),
  method({
    name: 'eth_sign',
    summary: 'Signs a message with an unlocked account, behind the prefix for signed messages (EIP-191).',
    access: 'signing',
    params: [
      param('address', Address, 'The account that signs; it must be unlocked.'),
      param('message', Data, 'The message.'),
    ],
    result: { name: 'signature', type: Data },
    examples: [{ name: 'four bytes', params: [alice, message], result: messageSignature }],
    handler: notYet,
  }),
  method({
    name: 'eth_signTransaction',
    summary: 'Signs a transaction with an unlocked account and sends nothing.',
    access: 'signing',
    params: [param('transaction', SenderTransaction, 'What to sign.')],
    result: { name: 'signed', type: SignedTransaction },
    examples: [
      {
        name: 'a transfer',
        params: [
          {
            ...transfer,
            gas: '0x5208',
            nonce: '0x0',
            maxFeePerGas: '0x77359400',
            maxPriorityFeePerGas: '0x3b9aca00',
          },
        ],
        result: {
          raw: rawTransaction,
          tx: pendingTransaction,
        },
      },
    ],
    handler: notYet,
  }),
  method({
    name: 'eth_sendTransaction',
    summary: 'Signs a transaction with an unlocked account and sends it; 90000 gas where none is given.',
    access: 'signing',
    params: [param('transaction', SenderTransaction, 'What to sign and send.')],
    result: { name: 'transactionHash', type: Hash },
    examples: [{ name: 'a transfer', params: [transfer], result: transactionHash }],
    handler: notYet,
  }),
]
