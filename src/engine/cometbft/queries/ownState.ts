import { encodeHeader } from '../../../chain/block/header.ts'
import type { AccountView } from '../../../chain/port/state.ts'
import { encodeInteger } from '../../../chain/transaction/encode.ts'
import { perihelionQueries, perihelionQueryLimits } from '../../../cosmos/queries/perihelionQueries.ts'
import { answerOwn, blockOf, ofLength, stateAt } from './ownQuery.ts'
import { headerOf, type Queries } from './query.ts'
import { invalidArgument } from './queryFault.ts'

const messageOf = ({ nonce, balance, codeHash, storageRoot }: AccountView) => ({
  nonce,
  balance: encodeInteger(balance),
  codeHash,
  storageRoot,
})

const bounded = (limit: number, most: number): number => Math.min(limit, most)

/** What the chain is, and its states. */
export const ownStateQueries: Queries = [
  answerOwn(perihelionQueries.genesis, (_, scene) => ({
    header: encodeHeader(headerOf({ ...scene, height: 0 })),
    config: Buffer.from(JSON.stringify(scene.chain.config.source)),
  })),

  answerOwn(perihelionQueries.status, (_, { chain, minimumGasPrice }) => {
    const { number, hash } = chain.head()
    const { oldestState, oldestBlock, keptStates } = chain.retention()
    return {
      height: BigInt(number),
      hash,
      oldestState: BigInt(oldestState),
      oldestBlock: BigInt(oldestBlock),
      ...(keptStates === undefined ? {} : { keptStates: BigInt(keptStates) }),
      minimumGasPrice: encodeInteger(minimumGasPrice),
    }
  }),

  answerOwn(perihelionQueries.account, async ({ place, address }, scene) => {
    const account = await (await stateAt(place, scene)).account(ofLength(address, 20, 'address'))
    return account === undefined ? {} : { account: messageOf(account) }
  }),

  answerOwn(perihelionQueries.code, async ({ place, address }, scene) => ({
    code: await (await stateAt(place, scene)).code(ofLength(address, 20, 'address')),
  })),

  answerOwn(perihelionQueries.storage, async ({ place, address, slot }, scene) => ({
    value: await (await stateAt(place, scene)).storage(
      ofLength(address, 20, 'address'),
      ofLength(slot, 32, 'slot'),
    ),
  })),

  answerOwn(perihelionQueries.proof, async ({ place, address, slots }, scene) => {
    if (slots.length > perihelionQueryLimits.slotProofs)
      throw invalidArgument(
        `${slots.length} slots, at most ${perihelionQueryLimits.slotProofs} are proven at once`,
      )
    for (const slot of slots) ofLength(slot, 32, 'slot')
    const proof = await (await stateAt(place, scene)).prove(ofLength(address, 20, 'address'), slots)
    return {
      account: messageOf(proof),
      nodes: [...proof.accountProof],
      slots: proof.storageProof.map(({ value, proof: nodes }) => ({
        value: encodeInteger(value),
        nodes: [...nodes],
      })),
    }
  }),

  answerOwn(perihelionQueries.accounts, async ({ place, start, limit }, scene) => {
    const state = await stateAt(place, scene)
    const { root, accounts, next } = await state.accounts(
      ofLength(start, 32, 'start'),
      bounded(limit, perihelionQueryLimits.accounts),
    )
    return {
      root,
      accounts: accounts.map((account) => ({
        address: account.address,
        hashedAddress: account.hashedAddress,
        account: messageOf(account),
      })),
      ...(next === undefined ? {} : { next }),
    }
  }),

  answerOwn(perihelionQueries.slots, async ({ place, address, start, limit }, scene) => {
    const state = await stateAt(place, scene)
    const { slots, next } = await state.slots(
      ofLength(address, 20, 'address'),
      ofLength(start, 32, 'start'),
      bounded(limit, perihelionQueryLimits.slots),
    )
    return { slots: [...slots], ...(next === undefined ? {} : { next }) }
  }),

  answerOwn(perihelionQueries.validators, async ({ place }, scene) => ({
    addresses: [...(await scene.chain.network.validators(blockOf(place, scene)))],
  })),

  answerOwn(perihelionQueries.validatorSet, async ({ place }, scene) => {
    const { chain } = scene
    const next = chain.head().number + 1
    const number = place?.block === BigInt(next) ? next : blockOf(place, scene)
    const set = await chain.network.validatorSet(number)
    return {
      validators: set.map(({ publicKey, engineAddress, power, reward }) => ({
        publicKey,
        engineAddress,
        power,
        ...(reward === undefined ? {} : { reward }),
      })),
    }
  }),

  answerOwn(perihelionQueries.proposal, async ({ place }, scene) => {
    const proposal = await scene.chain.network.proposal(blockOf(place, scene))
    return proposal === undefined ? {} : { proposer: proposal.proposer, isInTurn: proposal.isInTurn }
  }),
]
