import { type Address, type Hex, keccak256 } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { createGenesis, type GenesisAccount } from '../../geth/genesis.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { contractsOfGenesis, placesOfGenesis, programAddresses } from './contracts.ts'
import { nextRequest, type Request, randomProgram } from './requests.ts'
import { type Nonces, VariedSigner } from './variedSigner.ts'

export const chainId = 4_713
const sender = mnemonicToAccount('test test test test test test test test test test test junk')
const authorities = [1, 2, 3, 4, 5].map((number) =>
  privateKeyToAccount(`0x${number.toString(16).padStart(64, '0')}`),
)
const authorityAddresses = authorities.map(({ address }) => address.toLowerCase())
const maxPerBlock = 5

/** An account as it is at the head. */
export interface AccountState {
  readonly nonce: number
  readonly balance: bigint
}

/** What an account needs to pay for any of these transactions. */
const enough = 10n ** 17n

/** Random transactions, the same for the same seed: block after block, each on the state after the one before. */
export class VariedChain {
  readonly genesis: object
  readonly #random: Random
  readonly #signer: VariedSigner
  #nonce = 0

  constructor(seed: number) {
    this.#random = createRandom(seed)
    this.#signer = new VariedSigner({ chainId, places: placesOfGenesis, authorities }, this.#random)
    this.genesis = createGenesis(chainId, {
      [sender.address]: { balance: '0xffffffffffffffffffff' },
      ...Object.fromEntries(authorities.map(({ address }) => [address, { balance: '0xde0b6b3a7640000' }])),
      ...contractsOfGenesis(),
      ...Object.fromEntries(
        programAddresses.map((address): [string, GenesisAccount] => [
          toHex(address),
          {
            balance: `0x${this.#random.below(5_000).toString(16)}`,
            nonce: '0x1',
            code: toHex(randomProgram(this.#random)),
            storage: { '0x01': '0x02', '0x03': '0x04' },
          },
        ]),
      ),
    })
  }

  /** Signs the transactions of the next block; at most `most` of them. */
  async nextBlock(
    most: number,
    readAccount: (address: string) => Promise<AccountState>,
  ): Promise<readonly Hex[]> {
    const nonces: Nonces = new Map()
    // Code that an account delegates to may give all its coins away.
    const payers: PrivateKeyAccount[] = []
    for (const account of authorities) {
      const address = account.address.toLowerCase()
      const { nonce, balance } = await readAccount(address)
      nonces.set(address, nonce)
      if (balance >= enough) payers.push(account)
    }
    // An account that delegates may have one transaction under way.
    if (payers.length > 0 && this.#random.chance(0.08))
      return [await this.#signBy(this.#random.pick(payers), nonces)]
    const signed: Hex[] = []
    for (let count = Math.min(most, 1 + this.#random.below(maxPerBlock)); count > 0; count--)
      signed.push(await this.#signer.sign(sender, this.#nonce++, this.#request(), nonces))
    return signed
  }

  #request(): Request {
    return nextRequest({ random: this.#random, authorities: authorityAddresses, places: placesOfGenesis })
  }

  #signBy(account: PrivateKeyAccount, nonces: Nonces): Promise<Hex> {
    const address = account.address.toLowerCase()
    const nonce = nonces.get(address) ?? 0
    nonces.set(address, nonce + 1)
    const request = this.#random.pick([
      this.#request(),
      { to: account.address, gas: 300_000n, kind: 'delegation' } as const,
      { to: placesOfGenesis.contracts.callsInput as Address, gas: 300_000n, kind: 'fees' } as const,
    ])
    return this.#signer.sign(account, nonce, request, nonces)
  }
}

export const hashOf = (raw: Hex): Hex => keccak256(raw)
