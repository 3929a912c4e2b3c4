import { z } from 'zod'
import { optionalParam, param } from '../../rpc/method.ts'
import { incoming } from '../../rpc/wire.ts'
import { method } from '../method.ts'
import { alice, contract, zeroWord } from '../samples.ts'
import { notYet } from '../unsupported.ts'
import { Block } from '../wire/block.ts'
import { Address, Bytes32, Data } from '../wire/data.ts'
import { Quantity, Uint64 } from '../wire/quantity.ts'
import { Proof } from '../wire/results.ts'
import { StorageKey, StoragePosition } from '../wire/storage.ts'

const address = param('address', Address, 'The account or contract.')
const block = optionalParam('block', Block, 'The block whose state is read; latest when missing.')

export const stateMethods = [
  method({
    name: 'eth_getBalance',
    summary: 'Gives the balance of an account in wei.',
    access: 'public',
    params: [address, block],
    result: { name: 'balance', type: Quantity },
    examples: [{ name: 'a development account', params: [alice, 'latest'], result: '0x21e19e0c9bab2400000' }],
    handler: notYet,
  }),
  method({
    name: 'eth_getStorageAt',
    summary: 'Gives the 32 bytes at a position of a contract’s storage.',
    access: 'public',
    params: [address, param('position', StoragePosition, 'The storage slot.'), block],
    result: { name: 'value', type: Bytes32 },
    examples: [{ name: 'an unset slot', params: [contract, '0x0', 'latest'], result: zeroWord }],
    handler: notYet,
  }),
  method({
    name: 'eth_getTransactionCount',
    summary: 'Gives the nonce of an account: how many transactions it has sent.',
    access: 'public',
    params: [address, block],
    result: { name: 'nonce', type: Uint64 },
    examples: [{ name: 'after one transfer', params: [alice, 'latest'], result: '0x1' }],
    handler: notYet,
  }),
  method({
    name: 'eth_getCode',
    summary: 'Gives the code of a contract; no bytes for other accounts.',
    access: 'public',
    params: [address, block],
    result: { name: 'code', type: Data },
    examples: [{ name: 'an account without code', params: [alice, 'latest'], result: '0x' }],
    handler: notYet,
  }),
  method({
    name: 'eth_getProof',
    summary: 'Proves an account and some of its storage against the state root (EIP-1186).',
    access: 'public',
    params: [
      address,
      param(
        'storageKeys',
        incoming(z.array(StorageKey.schema, { error: 'expected an array of storage keys' })),
        'The storage slots to prove.',
      ),
      block,
    ],
    result: { name: 'proof', type: Proof },
    examples: [],
    handler: notYet,
  }),
]
