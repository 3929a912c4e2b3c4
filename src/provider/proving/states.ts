import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { NodeStore } from '../../light/state/nodeStore.ts'
import {
  groupByAccount,
  type MissingAccount,
  type MissingValue,
  MissingValueError,
  ProvenState,
} from '../../light/state/provenState.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { askProven } from '../endpoints/endpoints.ts'
import { type ProvenHeader, parseDataList, parseMembers } from './answers.ts'

const storeBytes = 48 * 2 ** 20
/** How often what is missing is requested, until an endpoint is taken for one that leaves nodes out. */
const maxRounds = 64
/** What an endpoint proves at once. */
const maxAccounts = 256
const maxSlots = 1024

/** States of proven headers. What was proven once is kept by its hash, and is not requested again. */
export class ProvenStates {
  readonly store = new NodeStore(storeBytes)

  at({ header }: Pick<ProvenHeader, 'header'>): ProvenState {
    return new ProvenState(this.store, header.stateRoot)
  }

  /** Asks for values with their proofs, and adds those to what is known. Throws if a proof leaves one out. */
  async load(endpoint: Endpoint, block: ProvenHeader, values: readonly MissingValue[]): Promise<void> {
    for (const part of parted(groupByAccount(values))) {
      const params = [{ accounts: part.map(toJson) }, toQuantity(block.header.number)]
      await askProven(endpoint, 'perihelion_proofs', params, (answer) => {
        const { nodes, codes } = parseMembers(answer, 'proofs')
        this.store.add(parseDataList(nodes, 'nodes'))
        this.store.add(parseDataList(codes, 'codes'))
        const state = this.at(block)
        for (const wanted of part) readAll(state, wanted)
      })
    }
  }

  /**
   * Runs a read on the state of a block. What is missing is requested, and the read starts over; a read that goes on where
   * something is missing (`readOn`) has all of it requested at once.
   */
  async read<Result>(
    endpoint: Endpoint,
    block: ProvenHeader,
    run: (state: ProvenState) => Result,
  ): Promise<Result> {
    for (let round = 0; ; round++) {
      try {
        return run(this.at(block))
      } catch (error) {
        if (!(error instanceof MissingValueError) || round === maxRounds) throw error
        await this.load(endpoint, block, [error.missing])
      }
    }
  }
}

/** Divides what is wanted into parts that an endpoint proves at once. */
const parted = (accounts: readonly MissingAccount[]): readonly MissingAccount[][] => {
  const parts: MissingAccount[][] = []
  let part: MissingAccount[] = []
  let slots = 0
  for (const { address, slots: all, hasCode } of accounts)
    for (let from = 0; from === 0 || from < all.length; from += maxSlots) {
      const some = all.slice(from, from + maxSlots)
      if (part.length === maxAccounts || slots + some.length > maxSlots) {
        parts.push(part)
        part = []
        slots = 0
      }
      part.push({ address, slots: some, hasCode })
      slots += some.length
    }
  return part.length === 0 ? parts : [...parts, part]
}

const toJson = ({ address, slots, hasCode }: MissingAccount) => ({
  address: toHex(address),
  ...(slots.length === 0 ? {} : { slots: slots.map(toHex) }),
  ...(hasCode ? { code: true } : {}),
})

const readAll = (state: ProvenState, { address, slots, hasCode }: MissingAccount): void => {
  try {
    const account = state.view(address)
    for (const slot of slots) state.storage(address, slot)
    if (hasCode && account !== undefined) {
      const code = state.code(account.codeHash)
      if (code.length > 0 && !equalBytes(keccak256(code), account.codeHash))
        throw new UpstreamError('code has another hash')
    }
  } catch (error) {
    if (!(error instanceof MissingValueError)) throw error
    throw new UpstreamError(`it leaves out nodes or code of ${toHex(address)}`)
  }
}
