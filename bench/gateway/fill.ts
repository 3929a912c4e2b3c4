import { setTimeout as sleep } from 'node:timers/promises'
import { type Hex, toHex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import type { RpcClient } from '../../test/support/rpc/rpcClient.ts'

/** LOG3 of the call data, twice: what a token's transfer with a fee looks like. */
const runtime = `366000600037${`60003533${`7f${'b2'.repeat(32)}`}366000a3`.repeat(2)}00`
const size = (runtime.length / 2).toString(16).padStart(2, '0')
const creation: Hex = `0x60${size}600c60003960${size}6000f3${runtime}`

export interface Filled {
  readonly contract: string
  readonly sender: string
  /** The block with the most transactions, and the last one. */
  readonly busiest: number
  readonly head: number
  readonly transaction: string
}

interface Receipt {
  readonly blockNumber: string
  readonly contractAddress: string | null
}

/** Blocks full of calls that log, by one sender. */
export const fillChain = async (
  client: RpcClient,
  mnemonic: string,
  transactions: number,
): Promise<Filled> => {
  const hdKey = mnemonicToAccount(mnemonic).getHdKey().privateKey ?? new Uint8Array(0)
  const account = privateKeyToAccount(toHex(hdKey))
  const chainId = Number(await client.call<string>('eth_chainId'))
  let nonce = Number(await client.call<string>('eth_getTransactionCount', account.address, 'latest'))
  const fees = { maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const send = async (body: { to?: Hex; data: Hex; gas: bigint }): Promise<string> => {
    const raw = await account.signTransaction({ chainId, nonce: nonce++, type: 'eip1559', ...fees, ...body })
    return await client.call<string>('eth_sendRawTransaction', raw)
  }
  const receiptOf = async (hash: string): Promise<Receipt> => {
    for (;;) {
      const receipt = await client.call<Receipt | null>('eth_getTransactionReceipt', hash).catch(() => null)
      if (receipt !== null) return receipt
      await sleep(500)
    }
  }
  const { contractAddress } = await receiptOf(await send({ data: creation, gas: 400_000n }))
  const to = contractAddress as Hex // the receipt of a creation has it
  let last = ''
  const blocks = new Map<string, number>()
  for (let at = 0; at < transactions; at++) {
    last = await send({ to, data: `0x${at.toString(16).padStart(64, '0')}`, gas: 60_000n })
    // A sender has room for a few dozen at a time in the chain's pool.
    if (at % 40 === 39 || at === transactions - 1) {
      const { blockNumber } = await receiptOf(last)
      const { transactions: held } = await client.call<{ transactions: string[] }>(
        'eth_getBlockByNumber',
        blockNumber,
        false,
      )
      blocks.set(blockNumber, held.length)
    }
  }
  const [busiest] = [...blocks].sort(([, a], [, b]) => b - a)[0] as [string, number] // there was one at least
  return {
    contract: to,
    sender: account.address,
    busiest: Number(busiest),
    head: Number(await client.call<string>('eth_blockNumber')),
    transaction: last,
  }
}
