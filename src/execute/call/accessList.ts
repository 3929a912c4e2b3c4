import { fromBigInt } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { refused } from '../../chain/chainError.ts'
import type { AccessListOutcome } from '../../chain/port/executor.ts'
import { AccessListSet } from '../../chain/transaction/accessListSet.ts'
import { contractAddress } from '../../chain/transaction/contractAddress.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { precompilesAt } from '../../evm/precompiles/table.ts'
import type { Tracer } from '../../evm/types.ts'
import { MessageError } from './message.ts'
import type { Meter } from './meter.ts'
import type { CallSite, Run } from './site.ts'

/** Rounds in which the list may also shrink. */
const maxFreshRounds = 16

/** SLOAD and SSTORE. */
const slotOpcodes: ReadonlySet<number> = new Set([0x54, 0x55])
/** BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH and SELFDESTRUCT. */
const addressOpcodes: ReadonlySet<number> = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff])
/** CALL, CALLCODE, DELEGATECALL and STATICCALL. */
const callOpcodes: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])

const watch = (seen: AccessListSet, excluded: ReadonlySet<string>): Tracer => {
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
    // A contract that looks at its own balance names nobody; others were named by the call that reached them.
    balanceRead: (address) => {
      if (!created.has(toHex(address))) addAddress(address)
    },
    enter: ({ kind, to }) => {
      if (kind === 'CREATE' || kind === 'CREATE2') created.add(toHex(to))
    },
    // geth hears of an instruction that could not be paid for too, and lists what it was about to look at: with the
    // list it may be paid for.
    step: ({ error, op, address, stackSize, stack }) => {
      if (error === undefined) return
      const word = (index: number): Uint8Array => fromBigInt(stack(index), 32)
      if (slotOpcodes.has(op) && stackSize >= 1) addSlot(address, word(0))
      if (addressOpcodes.has(op) && stackSize >= 1) addAddress(word(0).subarray(12))
      if (callOpcodes.has(op) && stackSize >= 5) addAddress(word(1).subarray(12))
    },
  }
}

/** What is warm without being listed: sender, recipient, precompiles and who authorizes. */
const excludedFrom = (
  site: CallSite,
  from: Uint8Array,
  to: Uint8Array,
  authorities: readonly Uint8Array[],
) => {
  const numbers = site.precompiles?.bySmallAddress ?? precompilesAt(site.fork)
  const moved = site.precompiles?.moved ?? []
  return new Set([
    toHex(from),
    toHex(to),
    ...Array.from(numbers.keys(), (number) => toHex(fromBigInt(BigInt(number), 20))),
    ...moved.map(({ address }) => toHex(address)),
    ...authorities.map(toHex),
  ])
}

/** The list is taken from the call, run with the list before, until it stays the same (as geth does it). */
export const createAccessList = (
  site: CallSite,
  request: TransactionRequest,
  gasCap: bigint,
  meter: Meter,
): AccessListOutcome => {
  const prepared = site.prepare(request)
  const { message, gas } = prepared
  const nonce = request.nonce ?? site.world.account(message.from)?.nonce ?? 0n
  const to = message.to ?? contractAddress(message.from, nonce)
  const authorities = message.authorizationList.flatMap(({ authority }) => (authority ? [authority] : []))
  const excluded = excludedFrom(site, message.from, to, authorities)
  const gasLimit = gas === undefined || gas > gasCap ? gasCap : gas
  let known = AccessListSet.from(message.accessList, excluded)
  for (let round = 0; ; round++) {
    const accessList = known.toList()
    // Slots of the recipient go when they are not looked at, unless code that looks at its gas would never settle.
    const seen = AccessListSet.from(accessList, round < maxFreshRounds ? excluded : new Set())
    const run = attempt(() =>
      site.run(prepared, gasLimit, meter, { accessList, tracer: watch(seen, excluded) }),
    )
    if (seen.equals(known)) return { accessList, gasUsed: run.gasUsed, error: run.result.error }
    known = seen
  }
}

const attempt = (act: () => Run): Run => {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    throw refused(`failed to apply transaction: err: ${error.message}`)
  }
}
