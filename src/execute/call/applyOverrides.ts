import { keccak256 } from '../../base/crypto/crypto.ts'
import { compareBytes, toBigInt } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import { refused } from '../../chain/chainError.ts'
import type { Fork } from '../../chain/config/forks.ts'
import {
  type AccountChange,
  type EvmStateReader,
  emptyCodeHash,
  type StateChanges,
} from '../../chain/state/evmState.ts'
import { createOverlay } from '../../chain/state/overlay.ts'
import { type AccountOverride, type BlockOverride, toEntries } from '../../chain/state/overrides.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import type { BlockContext, Precompile, PrecompileSet } from '../../evm/types.ts'

/** Precompile addresses below this limit are addressed by their number in the EVM. */
const maxPrecompileNumber = 0x200n
/** The number of moved precompiles that the EVM has room for; no fork has more precompiles than this. */
const maxMovedPrecompiles = 32

const none = new Uint8Array(0)

/** Returns whether the override changes the account. Moving a precompile alone does not. */
const hasAccountFields = ({ nonce, balance, code, state, stateDiff }: AccountOverride): boolean =>
  [nonce, balance, code, state, stateDiff].some((member) => member !== undefined)

/** Returns the state changes that the overrides stand for. */
export const overridesToChanges = (
  base: EvmStateReader,
  overrides: readonly AccountOverride[] | undefined,
): StateChanges => {
  const code: [codeHash: Uint8Array, code: Uint8Array][] = []
  const accounts = (overrides ?? []).filter(hasAccountFields).map((override): AccountChange => {
    const { address, nonce, balance, state, stateDiff } = override
    const known = base.account(address)
    if (override.code !== undefined) code.push([keccak256(override.code), override.code])
    return {
      address,
      account: {
        nonce: nonce ?? known?.nonce ?? 0n,
        balance: balance ?? known?.balance ?? 0n,
        codeHash: override.code ? keccak256(override.code) : (known?.codeHash ?? emptyCodeHash),
      },
      storageCleared: state !== undefined,
      storage: toEntries(state ?? stateDiff ?? none),
    }
  })
  return { accounts, code }
}

/** Returns the state with the overrides on top. */
export const applyStateOverrides = (
  base: EvmStateReader,
  overrides: readonly AccountOverride[] | undefined,
): EvmStateReader => {
  const changes = overridesToChanges(base, overrides)
  return changes.accounts.length === 0 ? base : createOverlay(base, changes)
}

/**
 * Returns the precompiles after the overrides, which remove or move those that they name; undefined if the fork's
 * precompiles stay.
 */
export const applyPrecompileOverrides = (
  fork: Fork,
  overrides: readonly AccountOverride[] | undefined,
): PrecompileSet | undefined => {
  const known = precompilesAt(fork)
  const numberOf = (address: Uint8Array): number | undefined => {
    const value = toBigInt(address)
    return value < maxPrecompileNumber && known.has(Number(value)) ? Number(value) : undefined
  }
  const touched = overrides?.filter(
    ({ address, movePrecompileToAddress }) =>
      movePrecompileToAddress !== undefined || numberOf(address) !== undefined,
  )
  if (overrides === undefined || touched === undefined || touched.length === 0) return undefined
  const overridden = new Set(overrides.map(({ address }) => toHex(address)))
  const bySmallAddress = new Map(known)
  const moved = new Map<string, { readonly address: Uint8Array; readonly precompile: Precompile }>()
  for (const { address } of touched) bySmallAddress.delete(Number(toBigInt(address)))
  // They are applied in the order of their addresses, as in geth: if two move to the same address, the last one stays.
  const inOrder = [...touched].sort((a, b) => compareBytes(a.address, b.address))
  for (const { address, movePrecompileToAddress: target } of inOrder) {
    if (target === undefined) continue
    const number = numberOf(address)
    if (number === undefined) throw refused(`account ${toChecksumAddress(address)} is not a precompile`)
    if (overridden.has(toHex(target)))
      throw refused(`account ${toChecksumAddress(target)} is already overridden`)
    const precompile = known.get(number) as Precompile // as numberOf says
    const value = toBigInt(target)
    if (value < maxPrecompileNumber) bySmallAddress.set(Number(value), precompile)
    else moved.set(toHex(target), { address: target, precompile })
  }
  if (moved.size > maxMovedPrecompiles)
    throw refused(`at most ${maxMovedPrecompiles} precompiles can be moved`)
  return { bySmallAddress, moved: [...moved.values()] }
}

/** Returns the block with the overridden fields. */
export const applyBlockOverride = (
  block: BlockContext,
  override: BlockOverride | undefined,
): BlockContext => {
  if (override === undefined) return block
  for (const member of ['beaconRoot', 'withdrawals'] as const)
    if (override[member] !== undefined)
      throw refused(`block override "${member}" is not supported for this RPC method`)
  const { blobBaseFee } = override
  return {
    ...block,
    number: override.number ?? block.number,
    timestamp: override.time ?? block.timestamp,
    coinbase: override.feeRecipient ?? block.coinbase,
    gasLimit: override.gasLimit ?? block.gasLimit,
    difficulty: override.difficulty ?? block.difficulty,
    prevRandao: override.prevRandao ?? block.prevRandao,
    baseFee: override.baseFeePerGas ?? block.baseFee,
    ...(blobBaseFee === undefined ? {} : { blobBaseFee }),
  }
}
