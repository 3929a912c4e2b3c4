import { param } from '../../rpc/method.ts'
import { nothing } from '../answers/done.ts'
import { AnyJson, Text } from '../wire/basic.ts'
import { Address, Data, Hash } from '../wire/data.ts'
import { DevNumber } from '../wire/dev.ts'
import { unsupportedDevMethod } from './devMethod.ts'

const anything = { name: 'result', type: AnyJson }
const tempo = 'this is a method of the Tempo chain, whose tokens and fee rules this chain does not have'
const blobs =
  'blobs are checked and dropped when their transaction is in a block, as on Ethereum where the beacon chain has them; the hashes are in the transaction'

/** The methods of anvil, Hardhat and ganache that this chain does not have. */
export const unsupportedDevMethods = [
  ...unsupportedDevMethod({
    names: ['anvil_impersonateSignature'],
    summary: 'Not supported: ecrecover tells who signed.',
    params: [param('signature', Data, 'The signature.'), param('address', Address, 'Who is to have signed.')],
    result: nothing,
    why: 'ecrecover gives what the signature says, so that blocks give the same result when they are executed again: sign with a key of your own, or set the code of the contract that checks (anvil_setCode)',
  }),
  ...unsupportedDevMethod({
    names: ['anvil_getBlobByHash'],
    summary: 'Not supported: blobs are not kept.',
    params: [param('versionedHash', Hash, 'The versioned hash of the blob.')],
    result: anything,
    why: blobs,
  }),
  ...unsupportedDevMethod({
    names: ['anvil_getBlobsByTransactionHash'],
    summary: 'Not supported: blobs are not kept.',
    params: [param('transactionHash', Hash, 'Hash of the transaction.')],
    result: anything,
    why: blobs,
  }),
  ...unsupportedDevMethod({
    names: ['anvil_classifyTransaction'],
    summary: 'Not supported: this chain has no lanes.',
    params: [param('transaction', Data, 'The signed transaction.')],
    result: anything,
    why: tempo,
  }),
  ...unsupportedDevMethod({
    names: ['anvil_dealTIP20'],
    summary: 'Not supported: this chain has no TIP-20 tokens.',
    params: [
      param('address', Address, 'The account.'),
      param('token', Address, 'The token.'),
      param('balance', DevNumber, 'The balance.'),
    ],
    result: nothing,
    why: `${tempo}: anvil_dealERC20 sets balances of tokens`,
  }),
  ...unsupportedDevMethod({
    names: ['anvil_setFeeToken'],
    summary: 'Not supported: fees are paid in the coin of the chain.',
    params: [param('user', Address, 'The account.'), param('token', Address, 'The token.')],
    result: nothing,
    why: tempo,
  }),
  ...unsupportedDevMethod({
    names: ['anvil_setValidatorFeeToken'],
    summary: 'Not supported: fees are paid in the coin of the chain.',
    params: [param('validator', Address, 'The account.'), param('token', Address, 'The token.')],
    result: nothing,
    why: tempo,
  }),
  ...unsupportedDevMethod({
    names: ['anvil_setFeeAmmLiquidity'],
    summary: 'Not supported: fees are paid in the coin of the chain.',
    params: [
      param('userToken', Address, 'One token.'),
      param('validatorToken', Address, 'The other token.'),
      param('amount', DevNumber, 'The amount.'),
    ],
    result: nothing,
    why: tempo,
  }),
  ...unsupportedDevMethod({
    names: ['evm_addAccount'],
    summary: 'Not supported: an account is impersonated, or its key imported.',
    params: [param('address', Address, 'The account.'), param('passphrase', Text, 'Its passphrase.')],
    result: anything,
    why: 'use anvil_impersonateAccount to send for an account without its key, or personal_importRawKey with the key',
  }),
  ...unsupportedDevMethod({
    names: ['evm_removeAccount'],
    summary: 'Not supported: that an account is impersonated can be ended.',
    params: [param('address', Address, 'The account.'), param('passphrase', Text, 'Its passphrase.')],
    result: anything,
    why: 'use anvil_stopImpersonatingAccount to end that an account is impersonated',
  }),
]
