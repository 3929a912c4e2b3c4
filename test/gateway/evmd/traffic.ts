import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, toHex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { RpcClient } from '../../support/rpc/rpcClient.ts'
import { accountAt } from './accounts.ts'

/** Transactions of every kind, sent through the gateway to a chain that is used for nothing else. */

/** A contract whose code is this: what is before it copies it out of the creation's data. */
const creation = (runtime: string): Hex => {
  const size = (runtime.length / 2).toString(16).padStart(2, '0')
  return `0x60${size}600c60003960${size}6000f3${runtime}`
}

/** Each does one thing with its call data. */
const runtimes = {
  /** LOG3 of the data: a topic, the caller, the first word. */
  logs: `36600060003760003533${`7f${'a1'.repeat(32)}`}366000a300`,
  /** Stores the first word, where there is one, and returns what is stored. */
  stores: '3615600b576000356000555b60005460005260206000f3',
  reverts: '366000600037366000fd',
  invalid: 'fe',
  /** Never ends. */
  burns: '5b600056',
  /** An empty contract inside of a call. */
  creates: '600060006000f060005260206000f3',
  /** Twenty logs, of one topic each. */
  floods: '60145b8060206000a1600190038060025700',
  /** Calls the address in the first word, and says whether that went well. */
  calls: '600060006000600060006000355af160005260206000f3',
  /** Destroys itself for its caller. */
  destroys: '33ff',
} as const

export type ContractName = keyof typeof runtimes

export interface Traffic {
  readonly contracts: Readonly<Record<ContractName, string>>
  readonly accounts: readonly string[]
  readonly hashes: readonly string[]
}

interface Receipt {
  readonly blockNumber: string
  readonly contractAddress: Hex | null
}

const errorData = (text: string): string =>
  `08c379a0${'20'.padStart(64, '0')}${text.length.toString(16).padStart(64, '0')}${Buffer.from(text).toString('hex').padEnd(64, '0')}`

const word = (value: number): string => value.toString(16).padStart(64, '0')

export interface TrafficOptions {
  readonly mnemonic: string
  readonly rounds: number
  /** Whether the chain knows type 4 (EIP-7702). */
  readonly delegates: boolean
  /** How many transactions each account sends at once at the end of a round. */
  readonly burst: number
}

export const makeTraffic = async (
  gateway: RpcClient,
  { mnemonic, rounds, delegates, burst }: TrafficOptions,
): Promise<Traffic> => {
  const chainId = Number(await gateway.call<string>('eth_chainId'))
  const funder = accountAt(mnemonic, 0)
  const others = [1, 2, 3].map((index) => accountAt(mnemonic, index))
  /** Sends nothing itself: pools refuse the word of an account that has something waiting. */
  const authority = accountAt(mnemonic, 4)
  const hashes: string[] = []
  const nonces = new Map<string, number>()
  const nonceOf = async (account: PrivateKeyAccount): Promise<number> => {
    const known = nonces.get(account.address)
    const nonce =
      known ?? Number(await gateway.call<string>('eth_getTransactionCount', account.address, 'latest'))
    nonces.set(account.address, nonce + 1)
    return nonce
  }
  const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  type Body = { readonly to?: Hex; readonly data?: Hex; readonly value?: bigint; readonly gas?: bigint }
  const send = async (account: PrivateKeyAccount, type: 0 | 1 | 2 | 4, body: Body): Promise<string> => {
    const nonce = await nonceOf(account)
    return await sendAt(nonce, account, type, body)
  }
  const sendAt = async (
    nonce: number,
    account: PrivateKeyAccount,
    type: 0 | 1 | 2 | 4,
    body: Body,
  ): Promise<string> => {
    const common = { chainId, nonce, gas: 300_000n, ...body }
    const raw = await signed(account, type, common)
    const hash = await gateway.call<string>('eth_sendRawTransaction', raw)
    hashes.push(hash)
    return hash
  }
  const signed = async (
    account: PrivateKeyAccount,
    type: 0 | 1 | 2 | 4,
    common: Body & { chainId: number; nonce: number },
  ) => {
    const accessList = [{ address: common.to ?? account.address, storageKeys: [toHex(0, { size: 32 })] }]
    if (type === 0)
      return await account.signTransaction({ ...common, type: 'legacy', gasPrice: fees.maxFeePerGas })
    if (type === 1)
      return await account.signTransaction({
        ...common,
        type: 'eip2930',
        gasPrice: fees.maxFeePerGas,
        accessList,
      })
    if (type === 2) return await account.signTransaction({ ...common, type: 'eip1559', ...fees })
    const authorization = await authority.signAuthorization({
      chainId,
      address: common.to ?? account.address,
      nonce: Number(await gateway.call<string>('eth_getTransactionCount', authority.address, 'latest')),
    })
    return await account.signTransaction({
      ...common,
      type: 'eip7702',
      ...fees,
      authorizationList: [authorization],
    })
  }
  const receiptOf = async (hash: string): Promise<Receipt> => {
    for (let tries = 0; tries < 600; tries++) {
      const receipt = await gateway.call<Receipt | null>('eth_getTransactionReceipt', hash)
      if (receipt !== null) return receipt
      await sleep(100)
    }
    throw new Error(`${hash} is not included`)
  }

  for (const { address } of others)
    await receiptOf(await send(funder, 2, { to: address, value: 10n ** 19n, gas: 21_000n }))
  const contracts: Partial<Record<ContractName, string>> = {}
  for (const name of Object.keys(runtimes) as ContractName[]) {
    const receipt = await receiptOf(
      await send(funder, name === 'logs' ? 0 : 2, { data: creation(runtimes[name]) }),
    )
    contracts[name] = receipt.contractAddress ?? ''
  }
  const at = contracts as Record<ContractName, Hex>
  for (let round = 0; round < rounds; round++) {
    const last: string[] = []
    for (const [who, account] of [funder, ...others].entries()) {
      const value = word(round * 10 + who)
      const one = async (type: 0 | 1 | 2 | 4, body: Body): Promise<void> => {
        last.push(await send(account, type, body))
      }
      await one(2, { to: at.logs, data: `0x${value}${'c0ffee'.repeat(who)}` })
      await one(1, { to: at.stores, data: `0x${value}` })
      await one(0, {
        to: `0x${(7000 + round).toString(16).padStart(40, '0')}`,
        value: BigInt(round + 1),
        gas: 21_000n,
      })
      await one(2, { to: at.reverts, data: `0x${errorData('no')}` })
      if (who === 1) await one(2, { to: at.burns, gas: 60_000n })
      if (who === 2) await one(2, { to: at.invalid, gas: 50_000n })
      if (who === 3) await one(2, { to: at.creates })
      if (who === 1) await one(2, { data: '0xfe', gas: 60_000n })
      if (who === 3) await one(2, { to: at.reverts, data: '0x' })
      if (who === 0) await one(2, { to: at.reverts, data: '0x12345678' })
      if (who === 0) await one(1, { to: at.floods })
      if (who === 1) await one(2, { to: at.calls, data: `0x${at.floods.slice(2).padStart(64, '0')}` })
      if (who === 2) await one(0, { to: at.calls, data: `0x${at.invalid.slice(2).padStart(64, '0')}` })
      if (who === 2) await one(2, { to: at.destroys, value: 5n })
      if (who === 3) await one(2, { data: '0x33ff', value: 3n })
    }
    for (const hash of last) await receiptOf(hash)
    if (delegates) await receiptOf(await send(funder, 4, { to: at.stores, data: `0x${word(round)}` }))
    // All at once, in any order.
    const sent: Promise<string>[] = []
    for (const account of [funder, ...others])
      for (let count = 0; count < burst; count++) {
        const nonce = await nonceOf(account)
        const type = ([0, 1, 2] as const)[count % 3] ?? 2
        sent.push(sendAt(nonce, account, type, { to: at.logs, data: `0x${word(count)}`, gas: 60_000n }))
      }
    for (const hash of await Promise.all(sent)) await receiptOf(hash)
  }
  return { contracts: at, accounts: [funder, ...others].map(({ address }) => address.toLowerCase()), hashes }
}
