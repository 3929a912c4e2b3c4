import { fromBech32 } from '../../chain/bech32.ts'
import type { TextEvent } from '../../cosmos/results/textEvent.ts'
import type { NativeTransactionInfo } from '../../families/convert/convertedBlock.ts'
import { toAppearancePostings, toLogPostings } from '../../store/index/blockPostings.ts'
import type { NativeIndexEntries } from '../../store/index/nativeIndex.ts'
import { syntheticAddress, toSyntheticLogs } from './syntheticLogs.ts'
import { isCosmosTransaction, senderOf } from './syntheticTransactions.ts'

const isHexAddress = /^0x[0-9a-fA-F]{40}$/

/**
 * Returns the addresses that events name: values that are an account or a validator of this chain, or an address of
 * Ethereum. Addresses of other chains have another prefix and mean other accounts.
 */
const namedAddresses = (events: readonly TextEvent[], prefix: string): readonly Uint8Array[] => {
  const found = new Map<string, Uint8Array>()
  for (const { attributes } of events)
    for (const { value } of attributes) {
      // The event `tx` has signers with their sequence: address/number.
      const [text = ''] = value.split('/', 1)
      if (found.has(text)) continue
      if (isHexAddress.test(text)) found.set(text, Buffer.from(text.slice(2), 'hex'))
      else if (text.startsWith(`${prefix}1`) || text.startsWith(`${prefix}valoper1`)) {
        const bytes = readBech32(text)
        if (bytes !== undefined) found.set(text, bytes)
      }
    }
  return [...found.values()]
}

const readBech32 = (text: string): Uint8Array | undefined => {
  try {
    return fromBech32(text).bytes.subarray(-20)
  } catch {
    return undefined
  }
}

/** Returns the index entries of a block's Cosmos transactions. They do not depend on whether the view is on. */
export const toNativeIndexEntries = (
  number: number,
  transactions: readonly NativeTransactionInfo[],
  bech32Prefix: string,
): NativeIndexEntries => {
  const shown = transactions.filter(isCosmosTransaction).map(({ events }) => ({
    events,
    logs: toSyntheticLogs(events),
  }))
  const participants = shown.map(({ events, logs }) => ({
    sender: senderOf(events),
    to: syntheticAddress,
    created: undefined,
    logs,
    named: namedAddresses(events, bech32Prefix),
  }))
  return {
    logLists: toLogPostings(
      number,
      shown.map(({ logs }) => logs),
    ),
    appearances: toAppearancePostings(number, participants),
  }
}
