import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { deriveMnemonicKeys } from '../../src/keystore/wallets/mnemonic.ts'
import { call, type Receipt, receiptOf } from './rpcHelpers.ts'
import type { NetworkNode } from './testnet.ts'

const devKeys = deriveMnemonicKeys('test test test test test test test test test test test junk', 10)
export const devKey = (index: number): `0x${string}` => toHex(devKeys[index] as Uint8Array) as `0x${string}` // it begins so

const chainId = 31_337
const receiver = '0x000000000000000000000000000000000000dead'
const retryMs = 200
const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }

/** An account of the development mnemonic that counts its own nonces. */
export class Wallet {
  readonly account: PrivateKeyAccount
  nonce = 0

  constructor(index: number) {
    this.account = privateKeyToAccount(devKey(index))
  }

  /** Signed with the next nonce. */
  sign(fields: { readonly to?: `0x${string}`; readonly data?: `0x${string}`; readonly gas?: bigint } = {}) {
    return this.account.signTransaction({
      chainId,
      type: 'eip1559',
      nonce: this.nonce++,
      to: receiver,
      value: fields.data === undefined ? 1n : 0n,
      gas: 21_000n,
      ...fees,
      ...fields,
    })
  }
}

/** What nodes said was included: it must be there ever after, on every node. */
export class Ledger {
  readonly #served = new Map<string, Receipt>()

  get size(): number {
    return this.#served.size
  }

  /** Sends a transaction to a node, again where it does not answer, until that node shows it in a block. */
  async include(node: NetworkNode, raw: string): Promise<Receipt> {
    for (;;) {
      try {
        const hash = await call<string>(node, 'eth_sendRawTransaction', raw).catch((error: Error) => {
          // It took the transaction before, and did not get to say so.
          if (/already known|nonce too low/.test(error.message)) return undefined
          throw error
        })
        const receipt = await receiptOf(node, hash ?? toHex(keccak256(fromHex(raw))))
        this.#served.set(receipt.transactionHash, receipt)
        return receipt
      } catch {
        // The node is down, paused or cut off.
        await sleep(retryMs)
      }
    }
  }

  /** One transaction after the other through every node; after the signal, until the last one is in. */
  async fill(nodes: readonly NetworkNode[], wallets: readonly Wallet[], signal: AbortSignal): Promise<void> {
    await Promise.all(
      nodes.map(async (node, index) => {
        const wallet = wallets[index]
        if (wallet === undefined) throw new Error('there is no wallet for this node')
        while (!signal.aborted) await this.include(node, await wallet.sign())
      }),
    )
  }

  async check(nodes: readonly NetworkNode[]): Promise<void> {
    for (const [hash, receipt] of this.#served)
      for (const [index, node] of nodes.entries())
        assert.deepEqual(await receiptOf(node, hash), receipt, `${hash} at node ${index}`)
  }
}
