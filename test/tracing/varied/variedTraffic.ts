import { getContractAddress, type Hex, toHex as numberToHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { createRandom, type Random } from '../../support/random.ts'
import type { TrafficSource } from '../../support/traffic/traffic.ts'
import type { Rpc } from '../../support/verifier/rpc.ts'
import { contractsOfGenesis, type Places, placesOfGenesis } from './contracts.ts'
import { nextRequest, randomProgram } from './requests.ts'
import { VariedSigner } from './variedSigner.ts'

const devMnemonic = 'test test test test test test test test test test test junk'
const programCount = 12
/** How many transactions of an account the pool takes at once. */
const maxUnderWay = 12

/** Init code that leaves the given code. */
const deploying = (code: string): Hex =>
  `0x61${((code.length - 2) / 2).toString(16).padStart(4, '0')}80600a5f395ff3${code.slice(2)}`

/** Varied transactions on a chain whose first block has none of the contracts: they are deployed. One at a time. */
export class VariedTraffic implements TrafficSource {
  readonly #rpc: Rpc
  readonly #random: Random
  readonly #sender: PrivateKeyAccount
  readonly #authorities: readonly PrivateKeyAccount[]
  #signer: VariedSigner | undefined
  #places: Places = placesOfGenesis
  #chainId = 0
  #nonce = 0
  #lastDeployment = ''

  constructor(rpc: Rpc, seed: number) {
    this.#rpc = rpc
    this.#random = createRandom(seed)
    const keyAt = (index: number): Hex => numberToHex(BigInt(seed) * 7_000_003n + BigInt(index), { size: 32 })
    this.#sender = privateKeyToAccount(keyAt(1))
    this.#authorities = [2, 3, 4].map((index) => privateKeyToAccount(keyAt(index)))
  }

  get contract(): string {
    return this.#places.contracts.storesInput as string
  }

  get addresses(): readonly string[] {
    return [this.#sender, ...this.#authorities].map(({ address }) => address.toLowerCase())
  }

  /** Funds the accounts and deploys the contracts. */
  async setUp(): Promise<void> {
    this.#chainId = Number(await this.#rpc<string>('eth_chainId'))
    const bank = mnemonicToAccount(devMnemonic)
    for (const { address } of [this.#sender, ...this.#authorities]) {
      const nonce = Number(await this.#rpc<string>('eth_getTransactionCount', bank.address, 'pending'))
      const raw = await bank.signTransaction({
        ...{ type: 'eip1559', chainId: this.#chainId, nonce, to: address, value: 10n ** 19n, gas: 21_000n },
        ...{ maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
      })
      await this.#confirm(await this.#rpc<string>('eth_sendRawTransaction', raw))
    }
    this.#places = await this.#deployAll()
    const options = { chainId: this.#chainId, places: this.#places, authorities: this.#authorities }
    this.#signer = new VariedSigner(options, this.#random)
  }

  async send(): Promise<Hex> {
    const authorities = this.#authorities.map(({ address }) => address.toLowerCase())
    const nonces = new Map<string, number>()
    for (const address of authorities)
      nonces.set(address, Number(await this.#rpc<string>('eth_getTransactionCount', address, 'latest')))
    const request = nextRequest({ random: this.#random, authorities, places: this.#places })
    const raw = await (this.#signer as VariedSigner).sign(this.#sender, this.#nonce++, request, nonces)
    return this.#rpc<Hex>('eth_sendRawTransaction', raw)
  }

  async #deployAll(): Promise<Places> {
    const accounts = contractsOfGenesis()
    const deploy = (address: string): Promise<string> => this.#deploy(accounts[address]?.code ?? '0x')
    const contracts: Record<string, string> = {}
    for (const [name, address] of Object.entries(placesOfGenesis.contracts))
      contracts[name] = await deploy(address)
    const forwarders: string[] = []
    for (const address of placesOfGenesis.forwarders) forwarders.push(await deploy(address))
    const strictForwarders: string[] = []
    for (const address of placesOfGenesis.strictForwarders) strictForwarders.push(await deploy(address))
    const programs: string[] = []
    for (let count = 0; count < programCount; count++)
      programs.push(await this.#deploy(toHex(randomProgram(this.#random))))
    await this.#confirm(this.#lastDeployment)
    return { contracts, forwarders, strictForwarders, programs }
  }

  /** Sends a creation and returns its address; now and then those before are waited for, so that the pool takes them. */
  async #deploy(code: string): Promise<string> {
    const nonce = this.#nonce++
    const raw = await this.#sender.signTransaction({
      ...{ type: 'eip1559', chainId: this.#chainId, nonce, data: deploying(code), value: 1_000n },
      ...{ gas: 2_000_000n, maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
    })
    this.#lastDeployment = await this.#rpc<string>('eth_sendRawTransaction', raw)
    if (nonce % maxUnderWay === maxUnderWay - 1) await this.#confirm(this.#lastDeployment)
    return getContractAddress({ from: this.#sender.address, nonce: BigInt(nonce) }).toLowerCase()
  }

  async #confirm(hash: string): Promise<void> {
    for (;;) {
      const receipt = await this.#rpc<{ status: string } | null>('eth_getTransactionReceipt', hash)
      if (receipt?.status === '0x1') return
      if (receipt !== null) throw new Error(`a transaction that sets the chain up failed: ${hash}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
