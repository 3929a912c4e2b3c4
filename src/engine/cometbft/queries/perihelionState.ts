import { encodeHeader } from '../../../chain/block/header.ts'
import { currentSource } from '../../../chain/config/liveConfig.ts'
import type { AccountView } from '../../../chain/state/accountLeaf.ts'
import { encodeInteger } from '../../../chain/transaction/encode.ts'
import { perihelionQueries, perihelionQueryLimits } from '../../../cosmos/queries/perihelionQueries.ts'
import { perihelionQuery, requireLength, resolveBlock, resolveState } from './perihelionQuery.ts'
import { headerAtContext, type QueryRoutes } from './query.ts'
import { invalidArgumentError } from './queryError.ts'

const toAccountMessage = ({ nonce, balance, codeHash, storageRoot }: AccountView) => ({
  nonce,
  balance: encodeInteger(balance),
  codeHash,
  storageRoot,
})

const bounded = (limit: number, most: number): number => Math.min(limit, most)

/** The queries for the chain's parameters and states. */
export const perihelionStateQueries: QueryRoutes = [
  perihelionQuery(perihelionQueries.genesis, (_, context) => ({
    header: encodeHeader(headerAtContext({ ...context, height: 0 })),
    config: Buffer.from(JSON.stringify(currentSource(context.chain.config))),
  })),

  perihelionQuery(perihelionQueries.status, (_, { chain, minimumGasPrice }) => {
    const { number, hash } = chain.head()
    const { oldestState, oldestBlock, retainedStates } = chain.retention()
    return {
      height: BigInt(number),
      hash,
      oldestState: BigInt(oldestState),
      oldestBlock: BigInt(oldestBlock),
      ...(retainedStates === undefined ? {} : { keptStates: BigInt(retainedStates) }),
      minimumGasPrice: encodeInteger(minimumGasPrice),
    }
  }),

  perihelionQuery(perihelionQueries.account, async ({ place: location, address }, context) => {
    const account = await (await resolveState(location, context)).account(
      requireLength(address, 20, 'address'),
    )
    return account === undefined ? {} : { account: toAccountMessage(account) }
  }),

  perihelionQuery(perihelionQueries.code, async ({ place: location, address }, context) => ({
    code: await (await resolveState(location, context)).code(requireLength(address, 20, 'address')),
  })),

  perihelionQuery(perihelionQueries.storage, async ({ place: location, address, slot }, context) => ({
    value: await (await resolveState(location, context)).storage(
      requireLength(address, 20, 'address'),
      requireLength(slot, 32, 'slot'),
    ),
  })),

  perihelionQuery(perihelionQueries.proof, async ({ place: location, address, slots }, context) => {
    if (slots.length > perihelionQueryLimits.slotProofs)
      throw invalidArgumentError(
        `${slots.length} slots, at most ${perihelionQueryLimits.slotProofs} are proven at once`,
      )
    for (const slot of slots) requireLength(slot, 32, 'slot')
    const proof = await (await resolveState(location, context)).prove(
      requireLength(address, 20, 'address'),
      slots,
    )
    return {
      account: toAccountMessage(proof),
      nodes: [...proof.accountProof],
      slots: proof.storageProof.map(({ value, proof: nodes }) => ({
        value: encodeInteger(value),
        nodes: [...nodes],
      })),
    }
  }),

  perihelionQuery(perihelionQueries.accounts, async ({ place: location, start, limit }, context) => {
    const state = await resolveState(location, context)
    const { root, accounts, next } = await state.accounts(
      requireLength(start, 32, 'start'),
      bounded(limit, perihelionQueryLimits.accounts),
    )
    return {
      root,
      accounts: accounts.map((account) => ({
        address: account.address,
        hashedAddress: account.hashedAddress,
        account: toAccountMessage(account),
      })),
      ...(next === undefined ? {} : { next }),
    }
  }),

  perihelionQuery(perihelionQueries.slots, async ({ place: location, address, start, limit }, context) => {
    const state = await resolveState(location, context)
    const { slots, next } = await state.slots(
      requireLength(address, 20, 'address'),
      requireLength(start, 32, 'start'),
      bounded(limit, perihelionQueryLimits.slots),
    )
    return { slots: [...slots], ...(next === undefined ? {} : { next }) }
  }),

  perihelionQuery(perihelionQueries.validators, async ({ place: location }, context) => ({
    addresses: [...(await context.chain.network.validators(resolveBlock(location, context)))],
  })),

  perihelionQuery(perihelionQueries.validatorSet, async ({ place: location }, context) => {
    const { chain } = context
    const next = chain.head().number + 1
    const number = location?.block === BigInt(next) ? next : resolveBlock(location, context)
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

  perihelionQuery(perihelionQueries.proposal, async ({ place: location }, context) => {
    const proposal = await context.chain.network.proposal(resolveBlock(location, context))
    return proposal === undefined ? {} : { proposer: proposal.proposer, isInTurn: proposal.isInTurn }
  }),
]
