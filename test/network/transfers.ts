import { privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { deriveMnemonicKeys } from '../../src/keystore/wallets/mnemonic.ts'
import { callHome, type HomeProcess, until } from './homeProcess.ts'

/** Transactions of the dev accounts, which every network of the tests funds. */

const mnemonic = 'test test test test test test test test test test test junk'

/** Sends from one account, nonce after nonce. */
export class TransferLoad {
  readonly #account: ReturnType<typeof privateKeyToAccount>
  #nonce = 0

  constructor(index = 0) {
    const key = deriveMnemonicKeys(mnemonic, index + 1)[index] ?? new Uint8Array()
    this.#account = privateKeyToAccount(toHex(key) as `0x${string}`)
  }

  sign(data: `0x${string}` = '0x', to: `0x${string}` | null = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8') {
    return this.#account.signTransaction({
      chainId: 31_337,
      type: 'eip1559',
      nonce: this.#nonce++,
      ...(to === null ? {} : { to, value: 1n }),
      data,
      gas: data === '0x' ? 21_000n : 1_000_000n,
      maxFeePerGas: 10_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    })
  }

  async send(node: HomeProcess, ...parts: Parameters<TransferLoad['sign']>): Promise<string> {
    return callHome(node, 'eth_sendRawTransaction', await this.sign(...parts))
  }
}

export interface Receipt {
  readonly blockNumber: string
  readonly blockHash: string
  readonly contractAddress: `0x${string}` | null
}

export const receiptOf = async (node: HomeProcess, hash: string): Promise<Receipt> => {
  let receipt: Receipt | null = null
  await until(`${hash} is included`, async () => {
    receipt = await callHome<Receipt | null>(node, 'eth_getTransactionReceipt', hash)
    return receipt !== null
  })
  return receipt as unknown as Receipt // it is there, as was waited for
}
