import type { PrivateKeyAccount } from 'viem/accounts'

/** Sends one request and returns its result; an error of the node is thrown. */
export type Ask = <T = unknown>(method: string, ...params: readonly unknown[]) => Promise<T>

export interface Replay {
  /** The headers that the tool, or the browser around it, adds. */
  readonly headers?: Readonly<Record<string, string>>
  /** The requests of the flow that the page shows, in the order of the tool. Fails where the tool would. */
  run(ask: Ask, account: PrivateKeyAccount): Promise<void>
}

export const bob = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const nobody = '0x0000000000000000000000000000000000000abc'

interface Header {
  readonly number: string
  readonly hash: string
  readonly baseFeePerGas: string
}

const mustBe = (what: string, value: unknown, expected: unknown): void => {
  if (JSON.stringify(value) !== JSON.stringify(expected))
    throw new Error(`${what}: ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`)
}

/** Signs and sends a coin as wallets and scripts do, then polls for the receipt. */
const sendSigned = async (ask: Ask, account: PrivateKeyAccount): Promise<string> => {
  const chainId = Number(await ask('eth_chainId'))
  const nonce = Number(await ask('eth_getTransactionCount', account.address, 'pending'))
  const { baseFeePerGas } = await ask<Header>('eth_getBlockByNumber', 'latest', false)
  const tip = BigInt(await ask<string>('eth_maxPriorityFeePerGas'))
  await ask('eth_feeHistory', '0x5', 'latest', [10, 20, 30])
  await ask('eth_gasPrice')
  const gas = BigInt(await ask<string>('eth_estimateGas', { from: account.address, to: bob, value: '0x1' }))
  const raw = await account.signTransaction({
    ...{ chainId, nonce, gas, to: bob, value: 1n },
    maxFeePerGas: 2n * BigInt(baseFeePerGas) + tip,
    maxPriorityFeePerGas: tip,
  })
  const hash = await ask<string>('eth_sendRawTransaction', raw)
  const receipt = await ask<{ status: string; blockNumber: string }>('eth_getTransactionReceipt', hash)
  mustBe('status', receipt.status, '0x1')
  const transaction = await ask<{ blockNumber: string }>('eth_getTransactionByHash', hash)
  mustBe('block', transaction.blockNumber, receipt.blockNumber)
  return hash
}

/** By the name of the page. Tools whose page is run as it is (viem, ethers, web3.js) are not here, nor are those with a suite. */
export const replays: Readonly<Record<string, Replay>> = {
  foundry: {
    run: async (ask, account) => {
      await ask('web3_clientVersion')
      await sendSigned(ask, account)
      const [from] = await ask<readonly string[]>('eth_accounts')
      const hash = await ask('eth_sendTransaction', { from, to: bob, value: '0x1' })
      mustBe('status', (await ask<{ status: string }>('eth_getTransactionReceipt', hash)).status, '0x1')
      mustBe('anvil_setBalance', await ask('anvil_setBalance', nobody, '0xde0b6b3a7640000'), null)
      mustBe('balance', await ask('eth_getBalance', nobody, 'latest'), '0xde0b6b3a7640000')
      const before = Number(await ask('eth_blockNumber'))
      await ask('anvil_mine', '0x5')
      mustBe('height', Number(await ask('eth_blockNumber')), before + 5)
      // forge test --fork-url
      const { number } = await ask<Header>('eth_getBlockByNumber', 'latest', false)
      for (const method of ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'])
        await ask(method, bob, number)
      await ask('eth_getStorageAt', bob, '0x0', number)
    },
  },
  hardhat: {
    run: async (ask) => {
      mustBe('net_version', await ask('net_version'), String(Number(await ask('eth_chainId'))))
      const [from] = await ask<readonly string[]>('eth_accounts')
      await ask('hardhat_metadata')
      const snapshot = await ask('evm_snapshot')
      const gas = await ask('eth_estimateGas', { from, to: bob, value: '0x1' }, 'pending')
      const hash = await ask('eth_sendTransaction', { from, to: bob, value: '0x1', gas })
      mustBe('status', (await ask<{ status: string }>('eth_getTransactionReceipt', hash)).status, '0x1')
      await ask('hardhat_setBalance', nobody, '0x1')
      await ask('hardhat_impersonateAccount', nobody)
      await ask('hardhat_stopImpersonatingAccount', nobody)
      await ask('evm_increaseTime', '0xe10')
      await ask('hardhat_mine', '0x3', '0x1')
      mustBe('evm_revert', await ask('evm_revert', snapshot), true)
    },
  },
  wagmi: {
    headers: { Origin: 'http://localhost:3000' },
    run: async (ask) => {
      await ask('eth_chainId')
      await ask('eth_blockNumber')
      await ask('eth_getBalance', bob, 'latest')
      await ask('eth_call', { to: nobody, data: '0x06fdde03' }, 'latest')
      await ask('eth_estimateGas', { from: bob, to: nobody, value: '0x0' })
      await ask('eth_getTransactionReceipt', `0x${'00'.repeat(32)}`)
    },
  },
  remix: {
    headers: { Origin: 'https://remix.ethereum.org' },
    run: async (ask) => {
      mustBe('net_version', await ask('net_version'), '31337')
      const accounts = await ask<readonly string[]>('eth_accounts')
      mustBe('accounts', accounts.length, 10)
      for (const account of accounts) await ask('eth_getBalance', account, 'latest')
      await ask('eth_getBlockByNumber', 'latest', false)
      await ask('eth_gasPrice')
      // A contract of one byte of code, STOP.
      const deployment = { from: accounts[0], data: '0x60016000f3', value: '0x0' }
      const gas = await ask('eth_estimateGas', deployment)
      const hash = await ask('eth_sendTransaction', { ...deployment, gas })
      const { contractAddress } = await ask<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
      mustBe('code', await ask('eth_getCode', contractAddress, 'latest'), '0x00')
      const { blockHash } = await ask<{ blockHash: string }>('eth_getTransactionByHash', hash)
      await ask('debug_traceTransaction', hash, {})
      await ask('debug_storageRangeAt', blockHash, 0, contractAddress, '0x00', 100)
    },
  },
  metamask: {
    headers: { Origin: 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn' },
    run: async (ask, account) => {
      mustBe('net_version', await ask('net_version'), '31337')
      await ask('eth_blockNumber')
      await ask('eth_getBalance', account.address, 'latest')
      await ask('eth_getCode', bob, 'latest')
      await sendSigned(ask, account)
    },
  },
  web3py: {
    run: async (ask, account) => {
      await ask('web3_clientVersion')
      const [from] = await ask<readonly string[]>('eth_accounts')
      await ask('eth_getBlockByNumber', 'latest', false)
      const hash = await ask('eth_sendTransaction', { from, to: bob, value: '0x1' })
      mustBe('status', (await ask<{ status: string }>('eth_getTransactionReceipt', hash)).status, '0x1')
      await sendSigned(ask, account)
      await ask('evm_mine')
    },
  },
}
