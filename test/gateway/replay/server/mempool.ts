import { toHex } from '../../../../src/base/encoding/hex.ts'
import { unwrap } from '../block/native.ts'
import type { SignedTransaction } from '../block/signing.ts'
import type { Submission } from '../chain.ts'
import type { Traits } from '../families.ts'

/** What was sent to a chain and waits for its next block: as strict about nonces as a node's own check. */

interface Waiting {
  readonly native: Uint8Array
  readonly transactions: readonly SignedTransaction[]
}

type AccountOf = (address: Uint8Array) => { readonly nonce: bigint; readonly balance: bigint }

const refused = (code: number, log: string): Submission => ({ code, codespace: 'sdk', log })

export class Mempool {
  #waiting: Waiting[] = []

  get natives(): readonly Uint8Array[] {
    return this.#waiting.map(({ native }) => native)
  }

  /** All of it; nothing waits afterwards. */
  take(): readonly Waiting[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }

  submit(native: Uint8Array, traits: Traits, accountOf: AccountOf): Submission {
    let transactions: SignedTransaction[]
    try {
      transactions = unwrap(native, traits)
    } catch (error) {
      return refused(2, `${(error as Error).message}: tx parse error`)
    }
    for (const tx of transactions) {
      const { nonce, balance } = accountOf(tx.from)
      const expected = nonce + BigInt(this.#countOf(tx.from))
      if (tx.nonce !== expected)
        return refused(32, `invalid nonce; got ${tx.nonce}, expected ${expected}: invalid sequence`)
      if (balance < tx.value + tx.gasLimit * (tx.type < 2 ? tx.gasPrice : tx.maxFeePerGas))
        return refused(5, 'sender balance < tx cost: insufficient funds')
    }
    this.#waiting.push({ native, transactions })
    return { code: 0, codespace: '', log: '' }
  }

  #countOf(sender: Uint8Array): number {
    const all = this.#waiting.flatMap(({ transactions }) => transactions)
    return all.filter(({ from }) => toHex(from) === toHex(sender)).length
  }
}
