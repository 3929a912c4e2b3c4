import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { toBigInt } from '../../base/encoding/bytes.ts'
import { type ChainError, unavailable } from '../../chain/chainError.ts'
import type { AccountPage, AccountProof, SlotPage, StateView } from '../../chain/port/state.ts'
import type { AccountView } from '../../chain/state/accountLeaf.ts'
import type { NativeQueryClient } from '../../comet/data/nativeQuery.ts'
import type { Account } from '../../cosmos/gen/perihelion/v1/query_pb.ts'
import {
  type PerihelionQuery,
  perihelionQueries,
  perihelionQueryLimits,
} from '../../cosmos/queries/perihelionQueries.ts'
import {
  queryPerihelionNode,
  requiredHeight,
  type StateLocation,
  toPlaceMessage,
} from './perihelionQueries.ts'

/**
 * Returns a function that creates views of the states of a Perihelion chain, which are read by queries of its nodes. Each query
 * gets a signal from `createSignal`.
 */
export const createPerihelionState =
  (queries: NativeQueryClient) =>
  (location: StateLocation, createSignal: () => AbortSignal): StateView =>
    new PerihelionStateView(queries, location, createSignal)

class PerihelionStateView implements StateView {
  readonly #queries: NativeQueryClient
  readonly #message: ReturnType<typeof toPlaceMessage>
  /** The height whose state is needed. */
  readonly #height: number | undefined
  readonly #createSignal: () => AbortSignal

  constructor(queries: NativeQueryClient, location: StateLocation, createSignal: () => AbortSignal) {
    this.#queries = queries
    this.#message = toPlaceMessage(location)
    this.#height = requiredHeight(location)
    this.#createSignal = createSignal
  }

  async balance(address: Uint8Array): Promise<bigint> {
    return (await this.account(address))?.balance ?? 0n
  }

  async nonce(address: Uint8Array): Promise<bigint> {
    return (await this.account(address))?.nonce ?? 0n
  }

  async code(address: Uint8Array): Promise<Uint8Array> {
    const { code } = await this.#query(perihelionQueries.code, { place: this.#message, address })
    return code
  }

  async storage(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array> {
    const { value } = await this.#query(perihelionQueries.storage, { place: this.#message, address, slot })
    return value
  }

  async account(address: Uint8Array): Promise<AccountView | undefined> {
    const { account } = await this.#query(perihelionQueries.account, { place: this.#message, address })
    return account && toAccountView(account)
  }

  async prove(address: Uint8Array, slots: readonly Uint8Array[]): Promise<AccountProof> {
    const first = await this.#query(perihelionQueries.proof, {
      place: this.#message,
      address,
      slots: slots.slice(0, perihelionQueryLimits.slotProofs),
    })
    const proofs = [...first.slots]
    while (proofs.length < slots.length) {
      const next = slots.slice(proofs.length, proofs.length + perihelionQueryLimits.slotProofs)
      const more = await this.#query(perihelionQueries.proof, { place: this.#message, address, slots: next })
      if (more.slots.length !== next.length) throw incompleteResponseError()
      proofs.push(...more.slots)
    }
    return {
      ...toAccountView(present(first.account)),
      accountProof: first.nodes,
      storageProof: proofs.map(({ value, nodes }) => ({ value: toBigInt(value), proof: nodes })),
    }
  }

  async accounts(start: Uint8Array, limit: number): Promise<AccountPage> {
    const page = await this.#query(perihelionQueries.accounts, {
      place: this.#message,
      start,
      limit: Math.min(limit, perihelionQueryLimits.accounts),
    })
    const accounts = page.accounts.map(({ address, hashedAddress, account }) => ({
      ...toAccountView(present(account)),
      address,
      hashedAddress,
    }))
    const rest = limit - accounts.length
    if (page.next === undefined || rest <= 0 || accounts.length === 0)
      return { root: page.root, accounts, next: page.next }
    const more = await this.accounts(page.next, rest)
    return { root: page.root, accounts: [...accounts, ...more.accounts], next: more.next }
  }

  async slots(address: Uint8Array, start: Uint8Array, limit: number): Promise<SlotPage> {
    const page = await this.#query(perihelionQueries.slots, {
      place: this.#message,
      address,
      start,
      limit: Math.min(limit, perihelionQueryLimits.slots),
    })
    const slots = page.slots.map(({ hashedSlot, slot, value }) => ({ hashedSlot, slot, value }))
    const rest = limit - slots.length
    if (page.next === undefined || rest <= 0 || slots.length === 0) return { slots, next: page.next }
    const more = await this.slots(address, page.next, rest)
    return { slots: [...slots, ...more.slots], next: more.next }
  }

  #query<Request extends DescMessage, Response extends DescMessage>(
    query: PerihelionQuery<Request, Response>,
    request: MessageInitShape<Request>,
  ): Promise<MessageShape<Response>> {
    return queryPerihelionNode(this.#queries, query, request, this.#height, this.#createSignal())
  }
}

const toAccountView = ({ nonce, balance, codeHash, storageRoot }: Account): AccountView => ({
  nonce,
  balance: toBigInt(balance),
  codeHash,
  storageRoot,
})

const present = (account: Account | undefined): Account => {
  if (account === undefined) throw incompleteResponseError()
  return account
}

const incompleteResponseError = (): ChainError =>
  unavailable('the response of the node lacks the requested data')
