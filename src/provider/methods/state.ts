import { emptyBytes, toBigInt } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { MissingValue, ProvenState } from '../../light/state/provenState.ts'
import { noAccount } from '../../light/state/trieValue.ts'
import type { Session } from '../chain.ts'
import type { LightMethods } from './method.ts'
import { addressAt, blockAt, listOf, slotOf } from './params.ts'

const maxKeys = 1024

/** Reads on the state of the block that a parameter names; missing values are requested at once. */
const readState = async <Result>(
  session: Session,
  params: readonly unknown[],
  blockParam: number,
  wanted: readonly MissingValue[],
  read: (state: ProvenState) => Result,
): Promise<Result> => {
  const { chain, endpoint } = session
  const block = await session.header(blockAt(params, blockParam))
  const state = chain.states.at(block)
  if (wanted.some((value) => !state.knows(value))) await chain.states.load(endpoint, block, wanted)
  return chain.states.read(endpoint, block, read)
}

/** What nodes show of an account that is not there. */
const absent = { ...noAccount, codeHash: new Uint8Array(32), storageRoot: new Uint8Array(32) }

const codeOf = (state: ProvenState, address: Uint8Array): Uint8Array => {
  const account = state.view(address)
  return account === undefined ? emptyBytes : state.code(account.codeHash)
}

export const stateMethods: LightMethods = {
  eth_getBalance: async (session, params) => {
    const address = addressAt(params, 0)
    return readState(session, params, 1, [{ address }], (state) =>
      toQuantity(state.view(address)?.balance ?? 0n),
    )
  },
  eth_getTransactionCount: async (session, params) => {
    const address = addressAt(params, 0)
    return readState(session, params, 1, [{ address }], (state) =>
      toQuantity(state.view(address)?.nonce ?? 0n),
    )
  },
  eth_getCode: async (session, params) => {
    const address = addressAt(params, 0)
    return readState(session, params, 1, [{ address, hasCode: true }], (state) =>
      toHex(codeOf(state, address)),
    )
  },
  eth_getStorageAt: async (session, params) => {
    const address = addressAt(params, 0)
    const slot = slotOf(params[1], 1)
    return readState(session, params, 2, [{ address, slot }], (state) => toHex(state.storage(address, slot)))
  },
  eth_getAccount: async (session, params) => {
    const address = addressAt(params, 0)
    return readState(session, params, 1, [{ address }], (state) => {
      const account = state.view(address)
      return account === undefined
        ? null
        : {
            balance: toQuantity(account.balance),
            nonce: toQuantity(account.nonce),
            codeHash: toHex(account.codeHash),
            storageRoot: toHex(account.storageRoot),
          }
    })
  },
  eth_getProof: async (session, params) => {
    const address = addressAt(params, 0)
    const keys = listOf(params[1], 1, maxKeys)
    const slots = keys.map((key) => slotOf(key, 1))
    const wanted = [{ address }, ...slots.map((slot) => ({ address, slot }))]
    return readState(session, params, 2, wanted, (state) => {
      const { balance, nonce, codeHash, storageRoot } = state.view(address) ?? absent
      return {
        address: toHex(address),
        accountProof: state.proof(address).map(toHex),
        balance: toQuantity(balance),
        codeHash: toHex(codeHash),
        nonce: toQuantity(nonce),
        storageHash: toHex(storageRoot),
        storageProof: slots.map((slot, index) => ({
          key: echo(keys[index], slot),
          value: toQuantity(toBigInt(state.storage(address, slot))),
          proof: state.proof(address, slot).map(toHex),
        })),
      }
    })
  },
}

/** A key of 32 bytes as it was given, a shorter one in the shortest form, as nodes do it. */
const echo = (given: unknown, slot: Uint8Array): string =>
  typeof given === 'string' && given.length === 66 ? given : toQuantity(toBigInt(slot))
