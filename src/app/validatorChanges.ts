import { equalBytes } from '../base/encoding/bytes.ts'
import { toHex } from '../base/encoding/hex.ts'
import type { EvmStateReader, StateChanges } from '../chain/state/evmState.ts'
import {
  diffValidatorSets,
  readValidatorSet,
  validatorContractAddress,
} from '../chain/validators/contract.ts'
import type { ValidatorChange } from '../chain/validators/validatorConfig.ts'

/**
 * Returns the changes that a block made to the validator set. Nothing is read if the block did not change the contract.
 */
export const validatorChanges = (
  before: Pick<EvmStateReader, 'storage'>,
  { accounts }: StateChanges,
): readonly ValidatorChange[] => {
  const change = accounts.find(({ address }) => equalBytes(address, validatorContractAddress))
  if (change === undefined || change.storage.length === 0) return []
  const written = new Map(change.storage.map(([slot, value]) => [toHex(slot), value]))
  const read = (slot: Uint8Array): Uint8Array => before.storage(validatorContractAddress, slot)
  return diffValidatorSets(
    readValidatorSet(read),
    readValidatorSet((slot) => written.get(toHex(slot)) ?? read(slot)),
  )
}
