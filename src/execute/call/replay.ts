import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { WorldChanges } from '../../chain/state/world.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import type { Machine } from '../../evm/machine.ts'
import { openBlock } from '../../evm/system.ts'
import { toTransactionFields } from '../../evm/transaction/fields.ts'
import { contextOfHeader } from './blockContext.ts'
import type { Meter } from './meter.ts'
import type { CallPlace } from './site.ts'

/** What the first transactions of a block that is in the chain changed; `world` is the state after its parent. */
export const replay = (
  machine: Machine,
  config: ChainConfig,
  { header, world, blockHash }: CallPlace,
  rawTransactions: readonly Uint8Array[],
  meter: Meter,
): WorldChanges => {
  const { fork, block } = contextOfHeader(config, header, blockHash)
  const execution = machine.begin({ fork, chainId: config.chainId, world, block, limits: meter.limits() })
  openBlock(execution, fork, { hash: header.parentHash, beaconRoot: header.parentBeaconBlockRoot })
  for (const raw of rawTransactions) {
    // The machine's limits are those of one transaction: what all of them take is looked at between them.
    meter.check()
    const transaction = decodeTransaction(raw)
    const sender = recoverSender(transaction, fork)
    if (sender === undefined) throw new Error('a transaction of the chain has no sender')
    const result = execution.transact(toTransactionFields(transaction), sender)
    if (!result.valid) throw new Error(`a transaction of the chain is invalid: ${result.reason}`)
    meter.spend(result.gasUsed)
  }
  return execution.takeChanges()
}
