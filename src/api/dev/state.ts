import { callFailed } from '../../rpc/errors.ts'
import { param } from '../../rpc/method.ts'
import { Done, nothing } from '../answers/done.ts'
import { latest } from '../answers/lookup.ts'
import { Address, Data } from '../wire/data.ts'
import { DevNumber, DevUint64, DevWord, HardhatNumber } from '../wire/dev.ts'
import { bob, contract } from '../wire/exampleValues.ts'
import { devMethod } from './devMethod.ts'
import { findTokenSlot } from './erc20.ts'

const account = param('address', Address, 'The account.')
const done = { name: 'set', type: Done }

const balance = param('balance', DevNumber, 'Wei.')
const nonce = param('nonce', DevUint64, 'The nonce of its next transaction.')
const code = param('code', Data, 'The code that runs, not init code.')
const slot = param('slot', DevWord, 'The slot.')
const value = param('value', DevWord, 'Its value, 32 bytes.')
const token = param('token', Address, 'The token contract.')

/** The methods that change accounts from outside a block. The head has the change at once, and the next block keeps it. */
export const devStateMethods = [
  ...(
    [
      ['anvil_setBalance', DevNumber],
      ['hardhat_setBalance', HardhatNumber],
    ] as const
  ).flatMap(([name, type]) =>
    devMethod({
      names: [name],
      summary: 'Sets the balance of an account.',
      work: 'write',
      params: [account, param('balance', type, 'Wei.')],
      result: nothing,
      examples: [{ name: '1 ether', params: [bob, '0xde0b6b3a7640000'], result: null }],
      handler: ([address, wei], dev) => dev.edit([{ address, balance: wei }]),
    }),
  ),
  ...devMethod({
    names: ['anvil_addBalance', 'hardhat_addBalance'],
    summary: 'Adds to the balance of an account.',
    work: 'write',
    params: [account, balance],
    result: nothing,
    examples: [{ name: '1 ether', params: [bob, '0xde0b6b3a7640000'], result: null }],
    handler: ([address, wei], dev) => dev.edit([{ address, addedBalance: wei }]),
  }),
  ...devMethod({
    names: ['anvil_setNonce', 'evm_setAccountNonce'],
    summary:
      'Sets the nonce of an account; on a chain that is kept, one that the chain has a transaction with cannot be used again.',
    work: 'write',
    params: [account, nonce],
    result: nothing,
    examples: [{ name: 'set', params: [bob, '0x2a'], result: null }],
    handler: ([address, next], dev) => dev.edit([{ address, nonce: next }]),
  }),
  ...devMethod({
    names: ['hardhat_setNonce'],
    summary: 'Sets the nonce of an account to a larger one, as Hardhat does.',
    work: 'write',
    params: [account, nonce],
    result: nothing,
    examples: [{ name: 'set', params: [bob, '0x2a'], result: null }],
    handler: async ([address, next], dev, { chain }) => {
      const before = await (await chain.state(latest)).nonce(address)
      if (next < before)
        throw callFailed(`New nonce (${next}) must not be smaller than the existing nonce (${before})`)
      await dev.edit([{ address, nonce: next }])
    },
  }),
  ...devMethod({
    names: ['anvil_setCode', 'hardhat_setCode'],
    summary: 'Sets the code of an account; its storage stays.',
    work: 'write',
    params: [account, code],
    result: nothing,
    examples: [{ name: 'a contract that stops', params: [contract, '0x00'], result: null }],
    handler: ([address, bytes], dev) => dev.edit([{ address, code: bytes }]),
  }),
  ...devMethod({
    names: ['anvil_setStorageAt', 'hardhat_setStorageAt'],
    summary: 'Sets a slot of an account.',
    work: 'write',
    params: [account, slot, value],
    result: done,
    examples: [{ name: 'slot 0', params: [contract, '0x0', `0x${'00'.repeat(31)}2a`], result: true }],
    handler: ([address, key, word], dev) => dev.edit([{ address, storage: [[key, word]] }]),
  }),
  ...devMethod({
    names: ['evm_setAccountBalance'],
    summary: 'Sets the balance of an account, as ganache does.',
    work: 'write',
    params: [account, balance],
    result: done,
    examples: [{ name: '1 ether', params: [bob, '0xde0b6b3a7640000'], result: true }],
    handler: ([address, wei], dev) => dev.edit([{ address, balance: wei }]),
  }),
  ...devMethod({
    names: ['evm_setAccountCode'],
    summary: 'Sets the code of an account, as ganache does.',
    work: 'write',
    params: [account, code],
    result: done,
    examples: [{ name: 'a contract that stops', params: [contract, '0x00'], result: true }],
    handler: ([address, bytes], dev) => dev.edit([{ address, code: bytes }]),
  }),
  ...devMethod({
    names: ['evm_setAccountStorageAt'],
    summary: 'Sets a slot of an account, as ganache does.',
    work: 'write',
    params: [account, slot, value],
    result: done,
    examples: [{ name: 'slot 0', params: [contract, '0x0', '0x2a'], result: true }],
    handler: ([address, key, word], dev) => dev.edit([{ address, storage: [[key, word]] }]),
  }),
  ...devMethod({
    names: ['anvil_dealERC20', 'hardhat_dealERC20', 'anvil_setERC20Balance'],
    summary: 'Sets the balance of an account in an ERC-20 token, whose slot is found by trying.',
    work: 'evm',
    params: [account, token, param('balance', DevNumber, 'The balance in units of the token.')],
    result: nothing,
    examples: [],
    handler: async ([address, tokenAddress, amount], dev, { chain }, { signal }) => {
      const found = await findTokenSlot(
        chain,
        { token: tokenAddress, kind: 'balance', accounts: [address], amount },
        signal,
      )
      return dev.edit([{ address: tokenAddress, storage: [found] }])
    },
  }),
  ...devMethod({
    names: ['anvil_setERC20Allowance'],
    summary: 'Sets what an account may spend of another in an ERC-20 token, whose slot is found by trying.',
    work: 'evm',
    params: [
      param('owner', Address, 'The account that has the tokens.'),
      param('spender', Address, 'The account that may spend them.'),
      token,
      param('amount', DevNumber, 'The allowance in units of the token.'),
    ],
    result: nothing,
    examples: [],
    handler: async ([owner, spender, tokenAddress, amount], dev, { chain }, { signal }) => {
      const found = await findTokenSlot(
        chain,
        { token: tokenAddress, kind: 'allowance', accounts: [owner, spender], amount },
        signal,
      )
      return dev.edit([{ address: tokenAddress, storage: [found] }])
    },
  }),
]
