import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { currentSource } from '../../chain/config/liveConfig.ts'
import type { BlockNumberOrTag, BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { CosmosView } from '../../chain/port/cosmos.ts'
import { callFailed, limitExceeded, unavailable, unsupported } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { assertNotPruned, latest } from '../answers/lookup.ts'
import { publicMethod } from '../method.ts'
import { describedObject } from '../wire/basic.ts'
import { Block } from '../wire/block.ts'
import { Hash } from '../wire/data.ts'
import { alice, contract, headerRlp, zeroWord } from '../wire/exampleValues.ts'
import {
  CallWitnessType,
  KnownCodes,
  LightBlocks,
  LightHeights,
  lightLimits,
  type ProofRequest,
  ProofRequestType,
  Proofs,
  WitnessQuestionType,
} from '../wire/light.ts'
import { readLightBlocks } from './lightBlocks.ts'

/** What light clients ask a node for: everything comes with what proves it (docs/light.md). */

const block = optionalParam(
  'block',
  Block,
  'The block; latest when missing. Pending has no header that proves it.',
)

/** Returns the native side of a chain whose validators sign the hash of the Ethereum header. */
const provable = ({ mode, config, cosmos }: Chain): CosmosView => {
  if (mode === 'embedded' || mode === 'none')
    throw unsupported(
      `nothing proves this chain: it has no validators (engine ${mode === 'none' ? mode : 'solo'})`,
    )
  const own = config.source.perihelion as { readonly validators?: unknown } | undefined
  if (cosmos === undefined || own?.validators === undefined)
    throw unsupported('nothing proves Ethereum headers of this chain: its app hash is not the hash of one')
  return cosmos
}

const heightOf = (chain: Chain, ref: BlockRef): number => {
  const number = chain.blocks.resolve(ref)
  if (number === 'pending') throw unsupported('nothing proves the pending block')
  if (number === undefined) throw callFailed('header not found')
  return number
}

const headersUpTo = (chain: Chain, last: number, count: number): readonly string[] => {
  const first = Math.max(0, last - count + 1)
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const rlp = chain.blocks.headerRlp(first + index)
    if (rlp === undefined) throw unavailable(`the header of block ${first + index} is not kept`)
    return toHex(rlp)
  })
}

const nativeHeightOf = (chain: Chain, ref: BlockNumberOrTag): number => {
  const height = heightOf(chain, ref)
  if (height < 1) throw callFailed('block 0 has no votes: CometBFT begins at 1')
  return height
}

const readProofs = async (chain: Chain, height: number, request: ProofRequest) => {
  const { accounts, headers, hasBlock, hasReceipts } = request
  const state =
    accounts.length === 0 ? undefined : await chain.state({ kind: 'number', number: BigInt(height) })
  const nodes = new Set<string>()
  const codes = new Set<string>()
  if (state !== undefined)
    for (const { address, slots, hasCode } of accounts) {
      const { accountProof, storageProof } = await state.prove(address, slots)
      for (const node of accountProof) nodes.add(toHex(node))
      for (const { proof } of storageProof) for (const node of proof) nodes.add(toHex(node))
      const code = hasCode ? await state.code(address) : undefined
      if (code !== undefined && code.length > 0) codes.add(toHex(code))
    }
  const { blocks } = chain
  const rlp = hasBlock ? (blocks.blockRlp(height) ?? assertNotPruned(chain, height)) : undefined
  const receipts = hasReceipts ? (blocks.receiptsRlp(height) ?? assertNotPruned(chain, height)) : undefined
  return {
    nodes: [...nodes],
    codes: [...codes],
    headers: headers === 0 ? [] : [...headersUpTo(chain, height, headers)],
    block: rlp === undefined ? null : toHex(rlp),
    receipts: receipts === undefined ? null : receipts.map(toHex),
  }
}

const transferQuestion = { method: 'eth_call', transaction: { to: contract, data: '0x313ce567' } }

export const lightMethods = [
  publicMethod({
    name: 'perihelion_lightBlock',
    summary:
      'Gives signed headers with their votes and validators, from which a light client proves blocks: each signs the Ethereum block before it.',
    work: 'state',
    params: [
      param('heights', LightHeights, 'The heights; latest is the newest that validators signed.'),
      optionalParam(
        'knownValidators',
        Hash,
        'The hash of validators that the client has: they are left out.',
      ),
    ],
    result: { name: 'lightBlocks', type: LightBlocks },
    examples: [
      {
        name: 'one, whose validators are known',
        params: [['0x2'], zeroWord],
        result: [
          {
            height: 2,
            hash: zeroWord,
            signedHeader: { header: {}, commit: {} },
            validators: null,
            header: headerRlp,
          },
        ],
      },
    ],
    handler: ([heights, known], { chain }, { signal }) => {
      const view = provable(chain)
      const headerAt = (number: number): string => headersUpTo(chain, number, 1)[0] ?? '0x'
      const numbers = heights.map((ref) => nativeHeightOf(chain, ref))
      return readLightBlocks({ view, headerAt }, numbers, known, signal)
    },
  }),
  publicMethod({
    name: 'perihelion_proofs',
    summary:
      'Gives accounts, slots and codes of a state with the nodes that prove them, each node once, and headers, transactions and receipts of the block.',
    work: 'state',
    params: [param('request', ProofRequestType, 'What is wanted.'), block],
    result: { name: 'proofs', type: Proofs },
    examples: [
      {
        name: 'the header of a block',
        params: [{ headers: 1 }, '0x1'],
        result: { nodes: [], codes: [], headers: [headerRlp], block: null, receipts: null },
      },
      {
        name: 'an account',
        params: [{ accounts: [{ address: alice }] }, 'latest'],
        result: { nodes: ['0xc0'], codes: [], headers: [], block: null, receipts: null },
      },
    ],
    handler: ([request, ref = latest], { chain }) => {
      provable(chain)
      return readProofs(chain, heightOf(chain, ref), request)
    },
  }),
  publicMethod({
    name: 'perihelion_callWitness',
    summary:
      'Gives all that a call, an estimate, an access list or a simulation reads of the state, with the nodes that prove it, so that a light client runs it itself.',
    work: 'evm',
    params: [
      param(
        'question',
        WitnessQuestionType,
        'The method with its transaction and overrides, or its simulation.',
      ),
      block,
      optionalParam('knownCodes', KnownCodes, 'The hashes of codes that the client has: they are left out.'),
    ],
    result: { name: 'witness', type: CallWitnessType },
    examples: [
      {
        name: 'decimals() of a token',
        params: [transferQuestion, 'latest'],
        result: { nodes: ['0xc0'], codes: ['0x00'], headers: [] },
      },
    ],
    handler: async ([question, ref = latest, known = []], { chain }, { signal }) => {
      provable(chain)
      const height = heightOf(chain, ref)
      const at = { kind: 'number', number: BigInt(height) } as const
      const { nodes, codes, oldestHash } = await chain.executor.witness(question, at, signal)
      const count = oldestHash === undefined ? 0 : height - oldestHash
      if (count > lightLimits.headers)
        throw limitExceeded(
          `the call reads the hash of a block ${count} below, at most ${lightLimits.headers} can be proven`,
        )
      const knownCodes = new Set(known.map(toHex))
      return {
        nodes: nodes.map(toHex),
        codes: codes.filter((code) => !knownCodes.has(toHex(keccak256(code)))).map(toHex),
        headers: count === 0 ? [] : [...headersUpTo(chain, height - 1, count)],
      }
    },
  }),
  publicMethod({
    name: 'perihelion_chainConfig',
    summary:
      'Gives the configuration of the chain, which a light client compares with the rules and forks in the state.',
    params: [],
    result: {
      name: 'config',
      type: describedObject('geth’s config object, with what this chain adds to it'),
    },
    examples: [{ name: 'a chain', params: [], result: { chainId: 1337 } }],
    handler: (_, { chain }) => {
      provable(chain)
      return currentSource(chain.config)
    },
  }),
]
