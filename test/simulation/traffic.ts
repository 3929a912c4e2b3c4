import { readFileSync } from 'node:fs'
import { type Abi, encodeFunctionData } from 'viem'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { signAuthorization } from '../../src/chain/transaction/signature.ts'
import type { UnsignedTransaction } from '../../src/chain/transaction/transaction.ts'
import { validatorContractAddress } from '../../src/chain/validators/contract.ts'
import type { Random } from '../support/random.ts'
import { addressOf, signCandidate, testChainId } from '../support/signedCandidates.ts'
import type { ModelNode } from './modelNode.ts'
import { admin, observer, rewardOf, type Scenario, senders, validatorKey } from './scenario.ts'

const { abi } = JSON.parse(
  readFileSync(new URL('../../docs/validatorSet.json', import.meta.url), 'utf8'),
) as { readonly abi: Abi }

const gwei = 10n ** 9n
const nothing = new Uint8Array(0)

interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** The transactions that users send, of every kind whose rules depend on a fork. */
export class Traffic {
  readonly #random: Random
  readonly #scenario: Scenario
  /** The last transaction of each sender, for a replacement. */
  readonly #last = new Map<number, { readonly nonce: bigint; readonly fees: Fees }>()

  constructor(random: Random, scenario: Scenario) {
    this.#random = random
    this.#scenario = scenario
  }

  /** Sends one transaction to a node. Returns its hash in hex if the pool took it. */
  async send(node: ModelNode, nodes: readonly ModelNode[]): Promise<string | undefined> {
    const random = this.#random
    const context = node.program?.context
    if (context === undefined) return undefined
    const isAdmin = random.chance(this.#scenario.validatorChanges)
    const sender = isAdmin ? admin : random.below(senders)
    const { nonce, fees } = this.#nonceAndFees(sender, context.pool.nextNonce(addressOf(sender)))
    const tx = isAdmin ? this.#changeValidators(nodes, nonce, fees) : this.#create(nonce, fees)
    const { raw, hash } = signCandidate(sender, tx)
    const { transaction } = await context.intake.submit(raw, true)
    return transaction && toHex(hash)
  }

  #nonceAndFees(sender: number, next: bigint): { readonly nonce: bigint; readonly fees: Fees } {
    const random = this.#random
    const last = this.#last.get(sender)
    const maxPriorityFeePerGas = gwei * BigInt(1 + random.below(3))
    const fees = { maxFeePerGas: 50n * gwei, maxPriorityFeePerGas }
    if (last !== undefined && last.nonce + 1n === next && random.chance(0.1)) {
      const more = {
        maxFeePerGas: last.fees.maxFeePerGas * 2n,
        maxPriorityFeePerGas: last.fees.maxPriorityFeePerGas * 2n,
      }
      this.#last.set(sender, { nonce: last.nonce, fees: more })
      return { nonce: last.nonce, fees: more }
    }
    // Now and then one is missing, and comes later.
    const nonce = random.chance(0.05) ? next + 1n : next
    this.#last.set(sender, { nonce, fees })
    return { nonce, fees }
  }

  #create(nonce: bigint, fees: Fees): UnsignedTransaction {
    const random = this.#random
    const base = {
      chainId: testChainId,
      nonce,
      ...fees,
      value: 0n,
      data: nothing,
      accessList: [],
      to: observer,
    }
    switch (random.below(7)) {
      case 0: // over the gas of a transaction from Osaka on
        return { ...base, type: 2, gasLimit: 20_000_000n }
      case 1: // pays for its data by another rule from Prague on
        return { ...base, type: 2, to: rewardOf(9), data: random.bytes(400), gasLimit: 60_000n }
      case 2: // unknown before Prague
        return {
          ...base,
          type: 4,
          gasLimit: 200_000n,
          authorizations: [
            signAuthorization({ chainId: testChainId, address: observer, nonce: 0n }, random.bytes(32)),
          ],
        }
      case 3: // a creation
        return {
          ...base,
          type: 2,
          to: undefined,
          data: fromHex('0x6001600055600160005360016000f3'),
          gasLimit: 200_000n,
        }
      case 4:
        return { ...base, type: 2, to: rewardOf(7), value: 1n, gasLimit: 21_000n }
      default:
        return { ...base, type: 2, gasLimit: 100_000n }
    }
  }

  /** Changes a power, adds a validator or removes one; at least three stay, and only nodes that run are added. */
  #changeValidators(nodes: readonly ModelNode[], nonce: bigint, fees: Fees): UnsignedTransaction {
    const random = this.#random
    const node = random.pick(nodes)
    const { nextValidators } = node.state
    const pubkey = toHex(validatorKey(node.index))
    const isValidator = nextValidators.has(node.key)
    const data = !isValidator
      ? this.#encode('add', pubkey, 10n, toHex(rewardOf(node.index)))
      : nextValidators.size === this.#scenario.nodes && random.chance(0.5)
        ? this.#encode('remove', pubkey)
        : this.#encode('setPower', pubkey, 8n + BigInt(random.below(5)))
    return {
      type: 2,
      chainId: testChainId,
      nonce,
      ...fees,
      gasLimit: 300_000n,
      to: validatorContractAddress,
      value: 0n,
      data,
      accessList: [],
    }
  }

  #encode(functionName: string, ...args: readonly unknown[]): Uint8Array {
    return fromHex(encodeFunctionData({ abi, functionName, args }))
  }
}
