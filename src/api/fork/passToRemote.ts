import { fromHex, toQuantity } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { ChainFork } from '../../chain/port/fork.ts'
import { unavailable, unsupported } from '../../rpc/errors.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import { textAsJson } from '../answers/lookup.ts'
import type { ApiMethod, BelowFork } from '../method.ts'
import { checkBlockAnswer, findRemoteBlock, numberInAnswer, type RemoteBlock } from './blocksBelow.ts'

/** One call that may be the remote's. */
interface RemoteCall {
  readonly method: string
  readonly params: readonly unknown[]
  /** The position of the parameter that names what is requested. */
  readonly at: number
  readonly chain: Chain
  readonly fork: ChainFork
  readonly signal: AbortSignal
  /** Answers the call here. */
  readonly local: () => unknown
}

/** Why a forked chain rejects what needs more of the state than it has. */
const refusals = {
  root: 'this chain is forked from a remote one: its root covers the local changes alone, and nothing can be proved',
  accounts:
    'this chain is forked from a remote one: it knows the accounts that were read or changed, not all that there are',
}

const asJson = (value: unknown): RawJson => textAsJson(JSON.stringify(value ?? null))

/**
 * Returns a method that passes calls about what is below the fork of a forked chain on to the remote, as they came, and
 * checks what it answers. On every other chain it is the same.
 */
export const passBelowFork = (method: ApiMethod): ApiMethod => {
  const { belowFork: rule } = method
  if (rule === undefined) return method
  const at = 'param' in rule ? method.params.findIndex(({ name }) => name === rule.param) : 0
  return {
    ...method,
    handler: (args, context, scope, given = []) => {
      const { chain } = context
      const { fork } = chain
      if (fork === undefined) return method.handler(args, context, scope, given)
      const local = () => method.handler(args, context, scope, given)
      const call = { method: method.name, params: given, at, chain, fork, signal: scope.signal, local }
      return answerOfRemote(rule, call) ?? local()
    },
  }
}

/** Returns the response, or undefined if the call is about this chain. */
const answerOfRemote = (rule: BelowFork, call: RemoteCall): Promise<unknown> | undefined => {
  const { chain, fork, params, at } = call
  switch (rule.kind) {
    case 'refused':
      throw unsupported(refusals[rule.needs])
    case 'transaction':
      return isLocalTransaction(chain, params[at]) ? undefined : askForTransaction(call, rule.answer)
    case 'logs': {
      const { blockHash, blockhash = blockHash } = params[at] as { blockHash?: unknown; blockhash?: unknown }
      const block =
        blockhash === undefined ? undefined : findRemoteBlock(chain, fork, blockhash, 'up to the fork')
      return block && askInBlock(call, block, params, rule)
    }
    case 'state': {
      const block = findRemoteBlock(chain, fork, params[at], 'below the fork')
      return block && askInBlock(call, block, withParam(params, at, block.param), rule)
    }
    case 'block': {
      const block = findRemoteBlock(chain, fork, params[at], 'up to the fork')
      if (block === undefined) return undefined
      const changed = withParam(params, at, block.param)
      return rule.answer === 'block'
        ? askForBlock(call, block, changed)
        : askInBlock(call, block, changed, rule)
    }
  }
}

const withParam = (params: readonly unknown[], at: number, value: unknown): readonly unknown[] => {
  const changed = [...params]
  while (changed.length < at) changed.push(null)
  changed[at] = typeof params[at] === 'number' ? params[at] : value
  return changed
}

const isLocalTransaction = ({ pool, blocks }: Chain, hash: unknown): boolean => {
  const bytes = fromHex(hash as string) // its schema was checked
  return pool.get(bytes) !== undefined || blocks.locate(bytes) !== undefined
}

const askForBlock = async (
  { method, fork, signal }: RemoteCall,
  block: RemoteBlock,
  params: readonly unknown[],
): Promise<RawJson> => {
  const answer = await fork.ask(method, params, signal)
  if (answer === null || answer === undefined) return asJson(requireIfKnown(block, fork))
  // A block that the remote made after the fork is not one of this chain.
  if (numberInAnswer(answer, 'number', fork) === undefined) return asJson(requireIfKnown(block, fork))
  checkBlockAnswer(answer, block, fork)
  return asJson(answer)
}

/** Asks about a block, if it is one of this chain. What is to be said of one that nobody knows is the same as without a fork. */
const askInBlock = async (
  { method, fork, signal, local }: RemoteCall,
  block: RemoteBlock,
  params: readonly unknown[],
  rule: BelowFork,
): Promise<unknown> => {
  if (block.number === undefined || block.number === fork.number) {
    const [name, param] =
      block.number === undefined
        ? (['eth_getBlockByHash', block.hash] as const)
        : (['eth_getBlockByNumber', toQuantity(block.number)] as const)
    const found = await fork.ask(name, [param, false], signal)
    if (numberInAnswer(found, 'number', fork) === undefined)
      return block.number === undefined ? local() : asJson(requireIfKnown(block, fork))
    checkBlockAnswer(found, block, fork)
  }
  const answer = await fork.ask(method, params, signal)
  const mayBeMissing = rule.kind === 'block' && rule.answer === 'item'
  if ((answer === null || answer === undefined) && !mayBeMissing) return asJson(requireIfKnown(block, fork))
  return asJson(answer)
}

const askForTransaction = async (
  { method, params, at, fork, signal }: RemoteCall,
  answerKind: 'transaction' | undefined,
): Promise<RawJson> => {
  const first = answerKind === 'transaction' ? method : 'eth_getTransactionByHash'
  const found = await fork.ask(first, [params[at]], signal)
  // What waits in the remote's pool, or is in a block after the fork, is not in this chain.
  const isHere = numberInAnswer(found, 'blockNumber', fork) !== undefined
  if (isHere) checkTransactionHash(found, params[at] as string, fork)
  if (first === method) return asJson(isHere ? found : null)
  // Whoever traces what is not there hears so from the remote, in its words.
  const hash = isHere ? params[at] : `0x${'00'.repeat(32)}`
  return asJson(await fork.ask(method, withParam(params, at, hash), signal))
}

const checkTransactionHash = (answer: unknown, asked: string, fork: ChainFork): void => {
  const { hash, transactionHash = hash } = answer as { hash?: unknown; transactionHash?: unknown }
  if (typeof transactionHash !== 'string' || transactionHash.toLowerCase() !== asked.toLowerCase())
    throw unavailable(`the remote ${fork.url} answers with another transaction than the requested one`)
}

/** Returns null for a block that need not exist; one up to the fork block does. */
const requireIfKnown = ({ number }: RemoteBlock, fork: ChainFork): null => {
  if (number === undefined) return null
  throw unavailable(`the remote ${fork.url} does not give block ${number}`)
}
