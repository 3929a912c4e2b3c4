import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { MissingStore, type StoreReader } from './judgement.ts'
import { decodeAmount } from './storedAccount.ts'
import { storeKeys } from './storeKeys.ts'

const wholeDecimals = 18

export interface ProvenBalance {
  /** The whole balance; undefined if it is not known. */
  readonly full: bigint | undefined
  /** Whether it is proven that this is the coin of the EVM. */
  readonly isOfCoin: boolean
}

/** What the stores of a chain with an EVM module say of an address. */
export class CosmosQuestion {
  readonly #read: StoreReader
  readonly #chainInfo: Pick<ChainInfo, 'feeDenom' | 'decimals'>
  readonly #denom: () => Promise<string | undefined>

  constructor(
    read: StoreReader,
    chainInfo: Pick<ChainInfo, 'feeDenom' | 'decimals'>,
    denom: () => Promise<string | undefined>,
  ) {
    this.#read = read
    this.#chainInfo = chainInfo
    this.#denom = denom
  }

  account(address: Uint8Array): Promise<Uint8Array> {
    return this.#read('acc', storeKeys.account(address))
  }

  slot(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array> {
    return this.#read('evm', storeKeys.slot(address, slot))
  }

  codeHash(address: Uint8Array): Promise<Uint8Array> {
    return this.#read('evm', storeKeys.codeHash(address))
  }

  /** Returns the balance in the coin that the module's parameters name; of a chain that keeps these elsewhere, the one detected. */
  async balance(address: Uint8Array): Promise<ProvenBalance> {
    const { feeDenom, decimals } = this.#chainInfo
    const denom = await this.#denom()
    const isOfCoin = denom !== undefined
    if (decimals !== wholeDecimals)
      return { full: denom ? await this.#smallCoin(address, denom) : undefined, isOfCoin }
    const amount = await this.#read('bank', storeKeys.balance(address, denom || feeDenom))
    return { full: decodeAmount(amount), isOfCoin }
  }

  /**
   * Returns the whole balance, at 18 decimals, of a coin with fewer: the rest is in x/precisebank. Undefined if it is not known,
   * as on a chain without that module.
   */
  async #smallCoin(address: Uint8Array, denom: string): Promise<bigint | undefined> {
    const { decimals } = this.#chainInfo
    const [whole, rest] = await Promise.all([
      this.#read('bank', storeKeys.balance(address, denom)),
      this.#read('precisebank', storeKeys.fraction(address)).catch((error: unknown) => {
        if (error instanceof MissingStore) return undefined
        throw error
      }),
    ])
    if (rest === undefined) return undefined
    const [coins, fraction] = [decodeAmount(whole), decodeAmount(rest)]
    if (coins === undefined || fraction === undefined) return undefined
    return coins * 10n ** BigInt(wholeDecimals - decimals) + fraction
  }
}
