import { concatBytes } from '../../base/encoding/bytes.ts'
import { encodeUtf8 } from '../../base/encoding/utf8.ts'

/** The keys of the stores `acc` (accounts), `bank` (balances), `precisebank` (fractions) and `evm` (slots, hashes of code). */
export const storeKeys = {
  account: (address: Uint8Array) => concatBytes(Uint8Array.of(1), address),
  balance: (address: Uint8Array, denom: string) =>
    concatBytes(Uint8Array.of(2, address.length), address, encodeUtf8(denom)),
  fraction: (address: Uint8Array) => concatBytes(Uint8Array.of(1), address),
  slot: (address: Uint8Array, slot: Uint8Array) => concatBytes(Uint8Array.of(2), address, slot),
  codeHash: (address: Uint8Array) => concatBytes(Uint8Array.of(4), address),
} as const
