import { concatBytes, fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { callFailed } from '../../rpc/errors.ts'
import { latest } from '../answers/lookup.ts'

/** A value of a token that a slot of its storage holds. */
export interface TokenValue {
  readonly token: Uint8Array
  readonly kind: 'balance' | 'allowance'
  /** The account with the balance, or owner and spender. */
  readonly accounts: readonly Uint8Array[]
  readonly amount: bigint
}

/** The selectors of balanceOf(address) and allowance(address,address). */
const selectors = { balance: fromHex('0x70a08231'), allowance: fromHex('0xdd62ed3e') }

/**
 * Returns the slot that holds a value of a token, with the word to store there. It is one of those that the token reads when
 * it is asked for the value: the one that makes it answer the wanted amount. Two amounts are tried, because another slot
 * may happen to hold the wanted one, or more than the value may be in the word.
 */
export const findTokenSlot = async (
  { executor }: Pick<Chain, 'executor'>,
  { token, kind, accounts, amount }: TokenValue,
  signal: AbortSignal,
): Promise<readonly [slot: Uint8Array, value: Uint8Array]> => {
  const data = concatBytes(
    selectors[kind],
    ...accounts.map((account) => concatBytes(new Uint8Array(12), account)),
  )
  const request = { to: token, data }
  const wanted = fromBigInt(amount, 32)
  const other = fromBigInt(amount === 1n ? 2n : 1n, 32)
  const answersWith = async (slot: Uint8Array, value: Uint8Array): Promise<boolean> => {
    const stateOverrides = [{ address: token, stateDiff: concatBytes(slot, value) }]
    const outcome = await executor.call({ request, stateOverrides }, latest, signal)
    return outcome.isSuccess && outcome.output.length === 32 && toBigInt(outcome.output) === toBigInt(value)
  }
  const { accessList } = await executor.createAccessList({ request }, latest, signal)
  for (const { address, storageKeys } of accessList) {
    if (Buffer.compare(address, token) !== 0) continue
    for (const slot of storageKeys)
      if ((await answersWith(slot, wanted)) && (await answersWith(slot, other))) return [slot, wanted]
  }
  throw callFailed(`Unable to set ERC20 ${kind}, no slot found`)
}
