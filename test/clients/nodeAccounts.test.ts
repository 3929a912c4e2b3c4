import { ContractFactory, JsonRpcProvider, verifyMessage, verifyTypedData } from 'ethers'
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  recoverMessageAddress,
  recoverTypedDataAddress,
} from 'viem'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContractAbi, Web3 } from 'web3'
import { startTestNode, type TestNode } from '../support/node.ts'
import { compileToken, supply, type Token } from './token.ts'

/** Clients whose accounts are those of the node, as on anvil, Hardhat's node and ganache. */
describe('accounts of the node', () => {
  let node: TestNode
  let token: Token
  beforeAll(async () => {
    node = await startTestNode()
    token = compileToken()
  })
  afterAll(() => node.close())

  const types = {
    Mail: [
      { name: 'to', type: 'address' },
      { name: 'words', type: 'string[]' },
    ],
  }
  const domain = { name: 'Mail', version: '1', chainId: 31_337 }
  const messageTo = (to: string) => ({ to, words: ['a', 'b'] })

  test('viem deploys and signs with them', async () => {
    const { abi, bytecode } = token
    const transport = http(node.http)
    const reader = createPublicClient({ chain: foundry, transport, pollingInterval: 20 })
    const wallet = createWalletClient({ chain: foundry, transport })
    const [account] = await wallet.requestAddresses()
    if (account === undefined) throw new Error('the node has no accounts')
    const hash = await wallet.deployContract({ account, abi: abi as Abi, bytecode, args: [supply] })
    // The answer comes after the block.
    const { contractAddress, status } = await reader.getTransactionReceipt({ hash })
    expect(status).toBe('success')
    const address = contractAddress as Hex
    const held = reader.readContract({
      address,
      abi: abi as Abi,
      functionName: 'balanceOf',
      args: [account],
    })
    expect(await held).toBe(supply)
    const call = { account, address, abi: abi as Abi, functionName: 'transfer' } as const
    await wallet.writeContract({ ...call, args: [address, 1n] })
    await expect(wallet.writeContract({ ...call, args: [address, supply] })).rejects.toThrow('BalanceTooLow')

    const signature = await wallet.signMessage({ account, message: 'hello' })
    expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(account)
    const data = { domain, types, primaryType: 'Mail', message: messageTo(account) } as const
    const typed = await wallet.signTypedData({ account, ...data } as never)
    expect(await recoverTypedDataAddress({ ...data, signature: typed } as never)).toBe(account)
  })

  test('ethers deploys and signs with them', async () => {
    const { abi, bytecode } = token
    const provider = new JsonRpcProvider(node.http, undefined, { cacheTimeout: -1, pollingInterval: 20 })
    try {
      const signer = await provider.getSigner(1)
      const factory = new ContractFactory(abi as never, bytecode, signer)
      const contract = await factory.deploy(supply)
      await contract.waitForDeployment()
      const balanceOf = contract.getFunction('balanceOf')
      expect(await balanceOf(signer.address)).toBe(supply)
      expect(verifyMessage('hello', await signer.signMessage('hello'))).toBe(signer.address)
      const value = messageTo(signer.address)
      const typed = await signer.signTypedData(domain, types, value)
      expect(verifyTypedData(domain, types, value, typed)).toBe(signer.address)
    } finally {
      provider.destroy()
    }
  })

  test('web3.js deploys and signs with them', async () => {
    const { abi, bytecode } = token
    const web3 = new Web3(node.http)
    web3.eth.transactionPollingInterval = 20
    const from = (await web3.eth.getAccounts())[2]
    if (from === undefined) throw new Error('the node has too few accounts')
    for (const fill of ['data', 'input'] as const) {
      web3.eth.contractDataInputFill = fill
      const deployment = new web3.eth.Contract(abi as ContractAbi).deploy({
        data: bytecode,
        arguments: [supply],
      } as never)
      const deployed = await deployment.send({ from })
      const balanceOf = deployed.methods.balanceOf as unknown as (of: string) => { call(): Promise<bigint> }
      expect(await balanceOf(from).call()).toBe(supply)
    }
    const message = web3.utils.utf8ToHex('hello')
    const signature = String(await web3.eth.sign(message, from))
    expect(await web3.eth.personal.sign(message, from, '')).toBe(signature)
    expect(verifyMessage('hello', signature)).toBe(from)
  })
})
