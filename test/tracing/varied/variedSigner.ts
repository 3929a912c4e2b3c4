import type { Address, Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { Random } from '../../support/random.ts'
import type { Places } from './contracts.ts'
import type { Request } from './requests.ts'

type Signer = Pick<PrivateKeyAccount, 'address' | 'signTransaction'>

/** The nonces of the accounts that delegate, as they are before the next transaction. */
export type Nonces = Map<string, number>

export interface SignerOptions {
  readonly chainId: number
  readonly places: Places
  /** The accounts that delegate. */
  readonly authorities: readonly PrivateKeyAccount[]
}

const fees = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }

/** Signs requests as transactions of all types that need no blobs. */
export class VariedSigner {
  readonly #options: SignerOptions
  readonly #random: Random

  constructor(options: SignerOptions, random: Random) {
    this.#options = options
    this.#random = random
  }

  async sign(account: Signer, nonce: number, { kind, ...request }: Request, nonces: Nonces): Promise<Hex> {
    const common = { chainId: this.#options.chainId, nonce, ...request }
    if (kind === 'legacy')
      return account.signTransaction({ type: 'legacy', ...common, gasPrice: fees.maxFeePerGas })
    if (kind === 'list') {
      const storageKeys = [1, 2, 5].map((slot) => `0x${slot.toString(16).padStart(64, '0')}` as Hex)
      const accessList = [{ address: request.to ?? account.address, storageKeys }]
      const gas = request.gas + 10_000n
      return account.signTransaction({
        type: 'eip2930',
        ...common,
        gas,
        gasPrice: fees.maxFeePerGas,
        accessList,
      })
    }
    if (kind === 'fees' || request.to === undefined)
      return account.signTransaction({ type: 'eip1559', ...common, ...fees })
    const authorizationList = []
    for (let count = 1 + this.#random.below(3); count > 0; count--)
      authorizationList.push(await this.#authorize(nonces))
    const gas = request.gas + 30_000n * BigInt(authorizationList.length)
    return account.signTransaction({
      ...{ type: 'eip7702', ...common, ...fees, gas, to: request.to },
      authorizationList,
    })
  }

  /** Most are valid; some have the nonce or the chain of another one. */
  async #authorize(nonces: Nonces) {
    const random = this.#random
    const { chainId, places, authorities } = this.#options
    const account = random.pick(authorities)
    const address = account.address.toLowerCase()
    const other = random.pick(authorities).address
    const target = random.pick([
      random.pick(Object.values(places.contracts)),
      random.pick(Object.values(places.contracts)),
      random.pick(places.forwarders),
      random.pick(places.programs),
      random.pick([`0x${'00'.repeat(20)}`, `0x${'00'.repeat(19)}04`, other]),
    ]) as Address
    const of = random.pick([chainId, chainId, chainId, chainId, 0, 99])
    const isCurrent = random.chance(0.85)
    const nonce = nonces.get(address) ?? 0
    if (isCurrent && of !== 99) nonces.set(address, nonce + 1)
    return account.signAuthorization({ chainId: of, address: target, nonce: isCurrent ? nonce : nonce + 3 })
  }
}
