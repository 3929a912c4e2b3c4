import { expect, it } from 'vitest'
import { evmTypeName } from './typeNames.ts'

it('knows the types of an EVM module in any package', () => {
  for (const evmPackage of [
    'ethermint.evm.v1',
    'cosmos.evm.vm.v1',
    'cosmos.evm.vm.v2',
    'stratos.evm.v1',
    'stratos.evm.v12',
    'evm.v1',
  ])
    expect(evmTypeName(`/${evmPackage}.MsgEthereumTx`)).toBe('MsgEthereumTx')
  for (const other of [
    '/cosmos.bank.v1beta1.MsgSend',
    '/cosmos.evm.erc20.v1.MsgConvertERC20',
    'cosmos.evm.vm.v1.MsgEthereumTx',
    '/cosmos.evm.vm.v1.MsgEthereumTx ',
    '/cosmos.evm.vm.v.MsgEthereumTx',
    `/${'a.'.repeat(200)}evm.v1.MsgEthereumTx`,
    '',
  ])
    expect(evmTypeName(other)).toBeUndefined()
})
