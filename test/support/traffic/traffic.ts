import { type Abi, encodeFunctionData, type Hex, toHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { createRandom, type Random } from '../random.ts'
import type { Rpc } from '../verifier/rpc.ts'
import { compileTraffic } from './contract.ts'

const devMnemonic = 'test test test test test test test test test test test junk'

interface Sender {
  readonly account: PrivateKeyAccount
  nonce: number
}

interface Message {
  readonly to?: Hex
  readonly data?: Hex
  readonly value?: bigint
  readonly gas: bigint
}

const one = async (raw: Promise<Hex>): Promise<{ raw: Hex; nonces: number }> => ({
  raw: await raw,
  nonces: 1,
})

/** What sends transactions to a chain. */
export interface TrafficSource {
  /** A contract that transactions are sent to. */
  readonly contract: string
  /** The accounts that send. */
  readonly addresses: readonly string[]
  /** Prepares the chain. */
  setUp(): Promise<void>
  /** Sends one transaction and returns its hash. */
  send(): Promise<string>
}

/** Mixed transactions of all types that the chain accepts, from many senders and one seed. */
export class Traffic implements TrafficSource {
  readonly #rpc: Rpc
  readonly #random: Random
  readonly #senders: Sender[]
  readonly #contract = compileTraffic()
  #chainId = 0
  #address: Hex = '0x'

  constructor(rpc: Rpc, seed: number, senders = 50) {
    this.#rpc = rpc
    this.#random = createRandom(seed)
    this.#senders = Array.from({ length: senders }, (_, index) => ({
      account: privateKeyToAccount(toHex(BigInt(seed) * 1_000_003n + BigInt(index + 1), { size: 32 })),
      nonce: 0,
    }))
  }

  get contract(): Hex {
    return this.#address
  }

  get addresses(): readonly Hex[] {
    return this.#senders.map(({ account }) => account.address.toLowerCase() as Hex)
  }

  /** Funds the senders and deploys the contract; on a chain with traffic of this seed it continues there. */
  async setUp(): Promise<void> {
    this.#chainId = Number(await this.#rpc<string>('eth_chainId'))
    const bank = mnemonicToAccount(devMnemonic)
    let nonce = Number(await this.#rpc<string>('eth_getTransactionCount', bank.address, 'pending'))
    for (const sender of this.#senders) {
      sender.nonce = Number(
        await this.#rpc<string>('eth_getTransactionCount', sender.account.address, 'pending'),
      )
      const raw = await bank.signTransaction({
        ...this.#fees(),
        type: 'eip1559',
        nonce: nonce++,
        to: sender.account.address,
        value: 10n ** 18n,
        gas: 21_000n,
      })
      await this.#rpc('eth_sendRawTransaction', raw)
    }
    const raw = await bank.signTransaction({
      ...this.#fees(),
      type: 'eip1559',
      nonce: nonce++,
      data: this.#contract.bytecode,
      gas: 2_000_000n,
    })
    const hash = await this.#rpc<string>('eth_sendRawTransaction', raw)
    for (;;) {
      const receipt = await this.#rpc<{ contractAddress: Hex } | null>('eth_getTransactionReceipt', hash)
      if (receipt === null) continue
      this.#address = receipt.contractAddress
      return
    }
  }

  /** Signs and sends one random transaction and returns the hash of the response. */
  send(): Promise<Hex> {
    return this.#send(this.#message())
  }

  /** Sends a transaction that fails and says why, then one that makes a contract from within. */
  async sendFailureAndCreation(): Promise<readonly Hex[]> {
    const to = this.#address
    return [
      await this.#send({ to, data: this.#call('fail', 'on purpose'), gas: 100_000n }),
      await this.#send({ to, data: this.#call('make'), gas: 300_000n }),
    ]
  }

  async #send(message: Message): Promise<Hex> {
    const sender = this.#pick(this.#senders)
    const { raw, nonces } = await this.#sign(sender, message)
    sender.nonce += nonces
    return this.#rpc<Hex>('eth_sendRawTransaction', raw)
  }

  #call(functionName: string, ...args: unknown[]): Hex {
    return encodeFunctionData({ abi: this.#contract.abi as Abi, functionName, args })
  }

  #message(): Message {
    const amount = this.#random.below(100)
    const to = this.#address
    const kinds = [
      () => ({ to: this.#pick(this.addresses), value: BigInt(amount), gas: 21_000n }),
      () => ({
        to,
        data: this.#call('move', BigInt(amount), toHex('note '.repeat(amount % 7))),
        gas: 200_000n,
      }),
      () => ({ to, data: this.#call('move', BigInt(amount), '0x'), value: 1n, gas: 200_000n }),
      () => ({ to, data: this.#call('fill', BigInt(amount), 3n), gas: 200_000n }),
      () => ({ to, data: this.#call('clear', BigInt(amount), 3n), gas: 200_000n }),
      () => ({ to, data: this.#call('make'), gas: 300_000n }),
      () => ({ to, data: this.#call('fail', 'on purpose'), gas: 100_000n }),
      () => ({ to, data: this.#call('loop'), gas: 80_000n }),
      () => ({ data: '0x600a600c600039600a6000f3602a60005260206000f3' as Hex, gas: 100_000n }),
      () => ({ data: '0xfe' as Hex, gas: 60_000n }),
    ]
    return this.#pick(kinds)()
  }

  /** Returns a transaction and the number of nonces of its sender that it uses. */
  async #sign({ account, nonce }: Sender, message: Message): Promise<{ raw: Hex; nonces: number }> {
    const { chainId, ...fees } = this.#fees()
    const common = { chainId, nonce, ...message }
    switch (this.#random.below(4)) {
      case 0:
        return one(account.signTransaction({ ...common, type: 'legacy', gasPrice: fees.maxFeePerGas }))
      case 1: {
        const accessList = [{ address: this.#address, storageKeys: [toHex(0, { size: 32 })] }]
        const gas = message.gas + 20_000n
        return one(
          account.signTransaction({
            ...common,
            gas,
            type: 'eip2930',
            gasPrice: fees.maxFeePerGas,
            accessList,
          }),
        )
      }
      case 2: {
        if (message.to === undefined) break
        const gas = message.gas + 60_000n
        // The tuple is processed after the transaction has used its nonce.
        const authorization = await account.signAuthorization({
          chainId,
          address: this.#address,
          nonce: nonce + 1,
        })
        const isOwn = this.#random.chance(0.1)
        const raw = await account.signTransaction({
          ...common,
          ...fees,
          gas,
          to: message.to,
          type: 'eip7702',
          // Mostly for another nonce, so that it is skipped and the account stays without code.
          authorizationList: [isOwn ? authorization : { ...authorization, nonce: nonce + 9 }],
        })
        return { raw, nonces: isOwn ? 2 : 1 }
      }
    }
    return one(account.signTransaction({ ...common, ...fees, type: 'eip1559' }))
  }

  #fees() {
    return { chainId: this.#chainId, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  }

  #pick<T>(items: readonly T[]): T {
    return this.#random.pick(items)
  }
}
