import { fromBigInt } from '../base/encoding/bytes.ts'
import { systemContracts } from '../chain/config/systemContracts.ts'
import type { ForkKey } from '../chain/state/forkSource.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'

/** The blocks whose beacon roots (EIP-4788) and hashes (EIP-2935) their contracts keep. */
const keptBlocks = 8191n

/** The slots with the queues of requests (EIP-7002, EIP-7251). */
const queueSlots = [0n, 1n, 2n, 3n]

const slotOf = (address: Uint8Array, slot: bigint): ForkKey => ({
  kind: 'slot',
  address,
  slot: fromBigInt(slot, 32),
})

/** Returns what the system calls of a block read, for a forked chain to fetch it at once. */
export const systemCallKeys = (number: bigint, timestamp: bigint): readonly ForkKey[] => {
  const { beaconRoots, historyStorage, withdrawalRequests, consolidationRequests } = systemContracts
  const contracts = [beaconRoots, historyStorage, withdrawalRequests, consolidationRequests]
  const at = timestamp % keptBlocks
  return [
    ...contracts.map(({ address }): ForkKey => ({ kind: 'account', address })),
    slotOf(beaconRoots.address, at),
    slotOf(beaconRoots.address, at + keptBlocks),
    slotOf(historyStorage.address, (number - 1n) % keptBlocks),
    ...[withdrawalRequests, consolidationRequests].flatMap(({ address }) =>
      queueSlots.map((slot) => slotOf(address, slot)),
    ),
  ]
}

/** Returns what the execution of transactions reads in any case. */
export const transactionKeys = (candidates: readonly RecoveredTransaction[]): readonly ForkKey[] =>
  candidates.flatMap(({ transaction, sender }) => {
    const { to } = transaction
    const listed = 'accessList' in transaction ? transaction.accessList : []
    return [
      { kind: 'account' as const, address: sender },
      ...(to === undefined ? [] : [{ kind: 'account' as const, address: to }]),
      ...listed.flatMap(({ address, storageKeys }): ForkKey[] => [
        { kind: 'account', address },
        ...storageKeys.map((slot): ForkKey => ({ kind: 'slot', address, slot })),
      ]),
    ]
  })
