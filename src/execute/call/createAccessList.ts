import { fromBigInt } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { refused } from '../../chain/chainError.ts'
import type { AccessListOutcome } from '../../chain/port/executor.ts'
import { AccessListBuilder } from '../../chain/transaction/accessListBuilder.ts'
import { contractAddress } from '../../chain/transaction/contractAddress.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { precompilesAt } from '../../evm/precompiles/precompileTable.ts'
import { callOpcodes, lookupOpcodes, opcode, slotOpcodes } from '../../evm/tracing/opcodes.ts'
import type { Tracer } from '../../evm/types.ts'
import type { ExecutionBudget } from './budget.ts'
import type { CallEnvironment, ExecutedCall } from './callEnvironment.ts'
import { MessageError } from './callMessage.ts'

/** The number of rounds in which the list may also shrink. */
const maxShrinkingRounds = 16

const addressOpcodes: ReadonlySet<number> = new Set([...lookupOpcodes, opcode.selfdestruct])

const createAccessListTracer = (seen: AccessListBuilder, excluded: ReadonlySet<string>): Tracer => {
  const created = new Set<string>()
  const addAddress = (address: Uint8Array): void => {
    const text = toHex(address)
    if (!excluded.has(text)) seen.addAddress(text)
  }
  const addSlot = (address: Uint8Array, slot: Uint8Array): void => {
    seen.addSlot(toHex(address), toHex(slot))
  }
  return {
    storageRead: addSlot,
    storageWrite: addSlot,
    accountRead: addAddress,
    // A contract that reads its balance names no other address; other addresses were named by the call that reached
    // them.
    balanceRead: (address) => {
      if (!created.has(toHex(address))) addAddress(address)
    },
    enter: ({ kind, to }) => {
      if (kind === 'CREATE' || kind === 'CREATE2') created.add(toHex(to))
    },
    // geth also traces an instruction that could not be paid for and lists what it was about to read, because it may be
    // affordable with the list.
    step: ({ error, op, address, stackSize, stack }) => {
      if (error === undefined) return
      const word = (index: number): Uint8Array => fromBigInt(stack(index), 32)
      if (slotOpcodes.has(op) && stackSize >= 1) addSlot(address, word(0))
      if (addressOpcodes.has(op) && stackSize >= 1) addAddress(word(0).subarray(12))
      if (callOpcodes.has(op) && stackSize >= 5) addAddress(word(1).subarray(12))
    },
  }
}

/** Returns the addresses that are warm without being listed: sender, recipient, precompiles and authorities. */
const warmAddresses = (
  environment: CallEnvironment,
  from: Uint8Array,
  to: Uint8Array,
  authorities: readonly Uint8Array[],
) => {
  const numbers = environment.precompiles?.bySmallAddress ?? precompilesAt(environment.fork)
  const moved = environment.precompiles?.moved ?? []
  return new Set([
    toHex(from),
    toHex(to),
    ...Array.from(numbers.keys(), (number) => toHex(fromBigInt(BigInt(number), 20))),
    ...moved.map(({ address }) => toHex(address)),
    ...authorities.map(toHex),
  ])
}

/** Runs the call with the access list of the previous run until the list stays the same, as geth does. */
export const createAccessList = (
  environment: CallEnvironment,
  request: TransactionRequest,
  gasCap: bigint,
  budget: ExecutionBudget,
): AccessListOutcome => {
  const prepared = environment.prepare(request)
  const { message, gas } = prepared
  const nonce = request.nonce ?? environment.state.account(message.from)?.nonce ?? 0n
  const to = message.to ?? contractAddress(message.from, nonce)
  const authorities = message.authorizationList.flatMap(({ authority }) => (authority ? [authority] : []))
  const excluded = warmAddresses(environment, message.from, to, authorities)
  const gasLimit = gas === undefined || gas > gasCap ? gasCap : gas
  let known = AccessListBuilder.from(message.accessList, excluded)
  for (let round = 0; ; round++) {
    const accessList = known.toList()
    // Unused slots of the recipient are removed, but only in the first rounds: the list of code that reads its gas
    // might never settle.
    const seen = AccessListBuilder.from(accessList, round < maxShrinkingRounds ? excluded : new Set())
    let failure: string | undefined
    const tracer: Tracer = {
      ...createAccessListTracer(seen, excluded),
      // In geth's words, which name the instruction.
      exit: ({ depth, message }) => {
        if (depth === 0) failure = message
      },
    }
    const run = attempt(() => environment.run(prepared, gasLimit, budget, { accessList, tracer }))
    if (seen.equals(known))
      return { accessList, gasUsed: run.gasUsed, error: run.result.error && (failure ?? run.result.error) }
    known = seen
  }
}

const attempt = (run: () => ExecutedCall): ExecutedCall => {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    throw refused(`failed to apply transaction: err: ${error.message}`)
  }
}
