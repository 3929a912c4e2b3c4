import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { AccountPage } from '../../chain/port/state.ts'
import type { AccountChange } from '../../chain/state/evmState.ts'
import { emptyRoot } from '../../state/rows/rows.ts'

type PagedAccount = AccountPage['accounts'][number]

/** Returns a page of accounts in the order of their hashes, with changes on top of the stored accounts. */
export const overlayAccounts = (
  changes: Iterable<AccountChange>,
  start: Uint8Array,
  limit: number,
  base: (start: Uint8Array, limit: number) => AccountPage,
  storageRoot: (address: Uint8Array) => Uint8Array | undefined,
): AccountPage => {
  const changed = Array.from(changes, (change) => ({
    ...change,
    hashedAddress: keccak256(change.address),
  })).filter(({ hashedAddress }) => Buffer.compare(hashedAddress, start) >= 0)
  // The changes may replace as many accounts of the base, so that many more are read.
  const page = base(start, limit + changed.length)
  const replaced = new Set(changed.map(({ hashedAddress }) => toHex(hashedAddress)))
  const { next, root } = page
  const added = changed.flatMap(({ address, account, hashedAddress }): PagedAccount[] => {
    if (account === undefined || (next !== undefined && Buffer.compare(hashedAddress, next) >= 0)) return []
    return [{ ...account, storageRoot: storageRoot(address) ?? emptyRoot, address, hashedAddress }]
  })
  const accounts = [
    ...page.accounts.filter(({ hashedAddress }) => !replaced.has(toHex(hashedAddress))),
    ...added,
  ].sort((a, b) => Buffer.compare(a.hashedAddress, b.hashedAddress))
  return { root, accounts: accounts.slice(0, limit), next: accounts[limit]?.hashedAddress ?? next }
}
