import { toHex } from '../../base/encoding/hex.ts'
import { invalidParams, unsupported } from '../../rpc/errors.ts'
import { param } from '../../rpc/method.ts'
import { sendFromAccount } from '../accounts/accountTransactions.ts'
import { nothing } from '../answers/done.ts'
import { Flag } from '../wire/basic.ts'
import { Address, DataOrNull, Hash } from '../wire/data.ts'
import { alice, bob, transactionHash } from '../wire/exampleValues.ts'
import { SenderTransaction } from '../wire/transactionRequest.ts'
import { devMethod } from './devMethod.ts'
import { servesDevMethods, statedSender } from './devSigner.ts'

const account = param('address', Address, 'The account; it may be a contract.')

/** The methods for accounts without keys, and for the pool. */
export const devAccountMethods = [
  ...devMethod({
    names: ['anvil_impersonateAccount', 'hardhat_impersonateAccount'],
    summary: 'Lets clients send transactions of an account that nobody has the key of.',
    work: 'write',
    params: [account],
    result: nothing,
    examples: [{ name: 'one account', params: [bob], result: null }],
    handler: ([address], dev) => dev.impersonate(address),
  }),
  ...devMethod({
    names: ['anvil_stopImpersonatingAccount', 'hardhat_stopImpersonatingAccount'],
    summary: 'Ends that an account is impersonated.',
    work: 'write',
    params: [account],
    result: nothing,
    examples: [{ name: 'one account', params: [bob], result: null }],
    handler: ([address], dev) => dev.stopImpersonating(address),
  }),
  ...devMethod({
    names: ['anvil_autoImpersonateAccount', 'hardhat_autoImpersonateAccount'],
    summary: 'Lets clients send transactions of every account, or ends that.',
    work: 'write',
    params: [param('enabled', Flag, 'Whether every account is impersonated.')],
    result: nothing,
    examples: [{ name: 'every account', params: [true], result: null }],
    handler: ([isOn], dev) => dev.setAutoImpersonate(isOn),
  }),
  ...devMethod({
    names: ['eth_sendUnsignedTransaction'],
    summary: 'Sends a transaction of any account on a dev chain, without a signature.',
    work: 'write',
    params: [param('transaction', SenderTransaction, 'What to send.')],
    result: { name: 'transactionHash', type: Hash },
    examples: [
      { name: 'a transfer', params: [{ from: alice, to: bob, value: '0x1' }], result: transactionHash },
    ],
    handler: ([request], _dev, context, scope) => {
      if (!servesDevMethods(context))
        throw unsupported(
          'transactions without a signature are taken by dev chains alone (perihelion start --dev)',
        )
      return sendFromAccount(context, request, statedSender, scope)
    },
  }),
  ...devMethod({
    names: ['anvil_dropTransaction'],
    summary: 'Removes a transaction from the pool, and gives its hash; null where it is not there.',
    work: 'write',
    params: [param('transactionHash', Hash, 'Hash of the transaction.')],
    result: { name: 'dropped', type: DataOrNull },
    examples: [{ name: 'a transfer', params: [transactionHash], result: transactionHash }],
    handler: async ([hash], dev) => ((await dev.dropTransaction(hash)) ? hash : null),
  }),
  ...devMethod({
    names: ['hardhat_dropTransaction'],
    summary:
      'Removes a transaction from the pool, and tells whether it was there; a transaction in a block is an error.',
    work: 'write',
    params: [param('transactionHash', Hash, 'Hash of the transaction.')],
    result: { name: 'dropped', type: Flag },
    examples: [{ name: 'a transfer', params: [transactionHash], result: true }],
    handler: async ([hash], dev, { chain }) => {
      if (chain.blocks.locate(hash) !== undefined)
        throw invalidParams(`Transaction ${toHex(hash)} cannot be dropped because it's already mined`)
      return dev.dropTransaction(hash)
    },
  }),
  ...devMethod({
    names: ['anvil_dropAllTransactions', 'hardhat_dropAllTransactions'],
    summary: 'Empties the pool.',
    work: 'write',
    params: [],
    result: nothing,
    examples: [{ name: 'all', params: [], result: null }],
    handler: (_, dev) => dev.dropAllTransactions(),
  }),
  ...devMethod({
    names: ['anvil_removePoolTransactions'],
    summary: 'Removes the transactions of an account from the pool.',
    work: 'write',
    params: [param('address', Address, 'Their sender.')],
    result: nothing,
    examples: [{ name: 'of one account', params: [bob], result: null }],
    handler: ([address], dev) => dev.dropTransactionsOf(address),
  }),
]
