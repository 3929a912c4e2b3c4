import { z } from 'zod'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { DevTransaction } from '../../chain/port/dev.ts'
import type { ResetTarget } from '../../chain/port/fork.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { isImpersonated } from '../../chain/transaction/impersonation.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { invalidParams, unsupported } from '../../rpc/errors.ts'
import { limitedList } from '../../rpc/limitedTypes.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { inputType } from '../../rpc/wireType.ts'
import { findGas } from '../accounts/defaultGas.ts'
import { fillTransaction } from '../accounts/fillTransaction.ts'
import { signTransaction } from '../accounts/signing.ts'
import { nothing } from '../answers/done.ts'
import type { ApiContext } from '../context.ts'
import { Flag, Text } from '../wire/basic.ts'
import { Data } from '../wire/data.ts'
import { DevInteger, DevUint64, QuantityText, ResetOptions, type ResetRequest } from '../wire/dev.ts'
import { Transaction } from '../wire/transactionRequest.ts'
import { devMethod } from './devMethod.ts'
import { devSigner } from './devSigner.ts'

/** The largest number of transactions that one call places. */
const maxPairs = 10_000

interface ReorgPair {
  /** A signed transaction, or one that an account of the node sends. */
  readonly transaction: Uint8Array | TransactionRequest
  /** The block that holds it, counted from the first new one. */
  readonly block: number
}

const readPair = (given: readonly unknown[], context: z.RefinementCtx): ReorgPair => {
  const [transaction, block] = given
  const schema = typeof transaction === 'string' ? Data.schema : Transaction.schema
  const read = { transaction: schema.safeParse(transaction), block: DevInteger.schema.safeParse(block) }
  if (given.length === 2 && read.transaction.success && read.block.success)
    return { transaction: read.transaction.data, block: read.block.data }
  context.addIssue({
    code: 'custom',
    message: 'expected a transaction, signed or as a request, and the number of a block',
  })
  return z.NEVER
}

/** Pairs of a transaction and its block. */
const ReorgPairs = inputType(
  limitedList(limitedList(z.unknown(), { max: 2 }).transform(readPair), { max: maxPairs }).meta({
    title: 'transactions and their blocks',
  }),
)

/** A depth, or the options of a reorganization. */
const ReorgDepth = inputType(
  z.union(
    [
      DevInteger.schema,
      z.object({ depth: DevInteger.schema, tx_block_pairs: ReorgPairs.schema }).meta({
        title: 'reorg options',
        description: 'A depth, and pairs of a transaction and its block',
      }),
    ],
    { error: 'expected a depth, or an object with depth and tx_block_pairs' },
  ),
)

/** Signs a request for a block that is made again; the nonces go on from the block below it. */
class ReorgSigner {
  readonly #context: ApiContext
  readonly #base: number
  readonly #nonces = new Map<string, bigint>()

  constructor(context: ApiContext, base: number) {
    this.#context = context
    this.#base = base
  }

  async sign(request: TransactionRequest, signal: AbortSignal): Promise<DevTransaction> {
    const { chain, accounts } = this.#context
    const from = request.from ?? accounts.list()[0]
    if (from === undefined) throw invalidParams('parameter 2: the node has no account to sign with')
    const nonce = request.nonce ?? (await this.#nextNonce(chain, from))
    const gasOf = (complete: TransactionRequest) => findGas(chain, complete, signal)
    const filled = await fillTransaction(chain, { ...request, from, nonce }, gasOf)
    const signed = signTransaction(devSigner(this.#context), from, filled)
    return { raw: encodeTransaction(signed), isImpersonated: isImpersonated(signed) }
  }

  async #nextNonce(chain: Chain, from: Uint8Array): Promise<bigint> {
    const id = toHex(from)
    const at = { kind: 'number' as const, number: BigInt(this.#base) }
    const nonce = this.#nonces.get(id) ?? (await (await chain.state(at)).nonce(from))
    this.#nonces.set(id, nonce + 1n)
    return nonce
  }
}

const placePairs = async (
  context: ApiContext,
  depth: number,
  pairs: readonly ReorgPair[],
  signal: AbortSignal,
): Promise<readonly (readonly DevTransaction[])[]> => {
  const tooHigh = pairs.find(({ block }) => block >= depth)
  if (tooHigh !== undefined)
    throw invalidParams(
      `Block number for reorg tx will exceed the reorged chain height. Block number ${tooHigh.block} must not exceed (depth-1) ${depth - 1}`,
    )
  const signer = new ReorgSigner(context, context.chain.head().number - depth)
  const blocks: DevTransaction[][] = Array.from({ length: depth }, () => [])
  for (const { transaction, block } of pairs.toSorted((a, b) => a.block - b.block)) {
    const sent =
      transaction instanceof Uint8Array
        ? { raw: transaction, isImpersonated: false }
        : await signer.sign(transaction, signal)
    blocks[block]?.push(sent)
  }
  return blocks
}

const checkDepth = (chain: Chain, what: string, depth: number): void => {
  const { number } = chain.head()
  if (depth > number)
    throw invalidParams(
      `${what} depth must not exceed current chain height: current height ${number}, depth ${depth}`,
    )
}

/**
 * Returns what a reset goes to, as anvil does: without `forking` to a chain of its own, or with it to a block of the named
 * remote or of the current one, by default the newest. A chain that is not forked and whose caller names no remote starts over.
 */
const toResetTarget = (options: ResetRequest | undefined, isForked: boolean): ResetTarget => {
  const { forking, url, block } = options ?? { forking: false, url: undefined, block: undefined }
  if (url !== undefined || (isForked && forking)) return { kind: 'fork', url, block }
  if (block !== undefined)
    throw invalidParams(
      'parameter 1 (options): the chain is not forked: name the remote with forking.jsonRpcUrl',
    )
  return isForked ? { kind: 'local' } : { kind: 'start' }
}

const resetOptions = optionalParam(
  'options',
  ResetOptions,
  'The remote chain to fork: forking with jsonRpcUrl and blockNumber.',
)

/** The methods that move the head: snapshots, reorganizations, a fresh start. */
export const devChainMethods = [
  ...devMethod({
    names: ['anvil_snapshot', 'evm_snapshot'],
    summary: 'Takes a snapshot of the chain, which costs nothing, and gives its id.',
    work: 'write',
    params: [],
    result: { name: 'id', type: QuantityText },
    examples: [{ name: 'the first', params: [], result: '0x0' }],
    handler: async (_, dev) => toQuantity(await dev.snapshot()),
  }),
  ...devMethod({
    names: ['anvil_revert', 'evm_revert'],
    summary:
      'Reverts to a snapshot, which is gone then, and so are those after it; false where there is none.',
    work: 'write',
    params: [param('id', DevInteger, 'The id of the snapshot.')],
    result: { name: 'reverted', type: Flag },
    examples: [{ name: 'to the first', params: ['0x0'], result: true }],
    handler: ([id], dev) => dev.revert(id),
  }),
  ...devMethod({
    names: ['anvil_rollback'],
    summary: 'Reverts the newest blocks.',
    work: 'write',
    params: [optionalParam('depth', DevInteger, 'How many; 1 when missing.')],
    result: nothing,
    examples: [],
    handler: async ([depth = 1], dev, { chain }) => {
      checkDepth(chain, 'Rollback', depth)
      await dev.rollback(depth)
    },
  }),
  ...devMethod({
    names: ['anvil_reorg'],
    summary: 'Replaces the newest blocks by others, with the given transactions.',
    work: 'write',
    takesObject: true,
    params: [
      param('depth', ReorgDepth, 'How many blocks; or both parameters as an object, as anvil names them.'),
      optionalParam('transactions', ReorgPairs, 'Pairs of a transaction and its block, counted from 0.'),
    ],
    result: nothing,
    examples: [],
    handler: async ([given, list = []], dev, context, { signal }) => {
      const { depth, tx_block_pairs: pairs } =
        typeof given === 'number' ? { depth: given, tx_block_pairs: list } : given
      checkDepth(context.chain, 'Reorg', depth)
      await dev.reorg(depth, await placePairs(context, depth, pairs, signal))
    },
  }),
  ...devMethod({
    names: ['anvil_setRpcUrl'],
    summary:
      'Asks another node for what is below the fork of a forked chain; that node must have the fork block.',
    work: 'write',
    params: [param('url', Text, 'The URL of the remote node.')],
    result: nothing,
    examples: [],
    handler: async ([url], dev, { chain }) => {
      if (chain.fork === undefined && !dev.isKept) return
      if (chain.fork === undefined)
        throw unsupported('this chain is not a fork of a remote one, and has no URL to replace')
      await chain.fork.setUrl(url)
    },
  }),
  ...devMethod({
    names: ['anvil_setChainId'],
    summary:
      'Gives the chain another chain id, for later blocks, calls and signatures; a chain that is kept has that of its genesis.',
    work: 'write',
    params: [param('chainId', DevUint64, 'The chain id.')],
    result: nothing,
    examples: [],
    handler: async ([chainId], dev) => {
      if (chainId === 0n) throw invalidParams('parameter 1 (chainId): expected a number from 1')
      if (dev.isKept)
        throw unsupported(
          'the chain id is part of the genesis: start another chain with --chain-id, in another --home if this one is kept',
        )
      await dev.setChainId(chainId)
    },
  }),
  ...devMethod({
    names: ['anvil_reset'],
    summary:
      'Starts over at the first block, or at a named block of the remote chain; mining settings and impersonated accounts stay.',
    work: 'write',
    params: [resetOptions],
    result: nothing,
    examples: [{ name: 'a fresh chain', params: [], result: null }],
    handler: ([options], dev, { chain }, { signal }) =>
      dev.reset(toResetTarget(options, chain.fork !== undefined), signal, { keepsSettings: true }),
  }),
  ...devMethod({
    names: ['hardhat_reset'],
    summary:
      'Starts over with the settings of the start: at the first block, or at a named block of the remote chain.',
    work: 'write',
    params: [resetOptions],
    result: nothing,
    examples: [{ name: 'a fresh chain', params: [], result: null }],
    handler: ([options], dev, { chain }, { signal }) =>
      dev.reset(toResetTarget(options, chain.fork !== undefined), signal),
  }),
]
