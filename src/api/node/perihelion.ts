import { z } from 'zod'
import { orUndefined } from '../../base/async/maybePromise.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { version } from '../../base/version.ts'
import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import { forksAhead } from '../../chain/config/forksAhead.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { blocksBehind, type NetworkValidator } from '../../chain/port/network.ts'
import { defaultTraceOptions } from '../../chain/port/traces.ts'
import { callFailed } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { latest } from '../answers/lookup.ts'
import { toTraceResponse } from '../answers/traceResponse.ts'
import { publicMethod } from '../method.ts'
import { Block } from '../wire/block.ts'
import { addressText, dataText, Hash } from '../wire/data.ts'
import { coinbase, transactionHash } from '../wire/exampleValues.ts'
import { uint64Text } from '../wire/quantity.ts'
import { Status } from '../wire/status.ts'
import { StepCount, StepNumber, TraceSteps } from '../wire/steps.ts'

const validator = z
  .object({
    pubkey: dataText.describe('Ed25519: 32 bytes'),
    cometbftAddress: addressText.describe('Under which CometBFT names it'),
    power: uint64Text,
    reward: addressText
      .nullable()
      .describe('Receives the tips of its blocks, as the chain has it; null where it has none'),
  })
  .meta({ id: 'Validator', title: 'validator' })

const Validators = plainType(
  z
    .array(validator)
    .meta({ title: 'validators', description: 'By power, the highest first, then by address' }),
)

/** The methods that no other client has. */
export const perihelionMethods = [
  publicMethod({
    name: 'perihelion_validators',
    summary: 'Lists who decides a block: the validators that the engine asks for their votes on it.',
    params: [
      optionalParam(
        'block',
        Block,
        'Height, tag or hash of the block; latest when missing, and pending is the next block.',
      ),
    ],
    result: { name: 'validators', type: Validators },
    examples: [
      {
        name: 'a single validator',
        params: ['latest'],
        result: [
          {
            pubkey: '0xea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c',
            cometbftAddress: '0xfe812c12f3ab4ce6ac5db69ac352f906cb1b11ef',
            power: '0xa',
            reward: coinbase,
          },
        ],
      },
    ],
    handler: async ([ref = latest], { chain }) =>
      (await chain.network.validatorSet(heightOf(chain, ref))).map(toJson),
  }),
  publicMethod({
    name: 'perihelion_traceSteps',
    summary:
      'Replays a transaction and gives a piece of its steps, with the places of the whole to jump to: for debuggers, which show a few of many steps at a time.',
    work: 'trace',
    params: [
      param('transactionHash', Hash, 'Hash of the transaction.'),
      param('from', StepNumber, 'The first step; the first one of the transaction is 0.'),
      param('count', StepCount, 'How many steps, at most 256; a piece of large steps ends early.'),
    ],
    result: { name: 'steps', type: TraceSteps },
    examples: [
      {
        name: 'a transfer runs no code',
        params: [transactionHash, 0, 100],
        result: { steps: [], count: 0, total: 0, failed: false, marks: [], marksCut: [] },
      },
    ],
    handler: ([hash, from, count], { chain }, { signal }) => {
      const options = { ...defaultTraceOptions, tracer: 'stepTracer', tracerConfig: { from, count } }
      return toTraceResponse(chain.traces.transaction(hash, options, signal), signal)
    },
  }),
  publicMethod({
    name: 'perihelion_status',
    summary:
      'Tells how this node runs, how far it is, which forks are ahead of it and which versions it has.',
    params: [],
    result: { name: 'status', type: Status },
    examples: [
      {
        name: 'a validator before a fork',
        params: [],
        result: {
          mode: 'cometbft',
          height: '0x2a',
          time: '0x6553f100',
          lag: { blocks: '0x0', seconds: '0x1' },
          fork: 'prague',
          forks: [{ name: 'osaka', at: '0x65554280', by: 'time', known: true, version: null, problem: null }],
          versions: { perihelion: '0.1.0', node: '20.19.0', engine: '0.38.17' },
          modified: false,
          refused: [],
          verified: null,
          verifiedState: null,
          stateProblem: null,
          lies: [],
        },
      },
    ],
    handler: (_, { chain }) => readStatus(chain),
  }),
]

const maxShownLies = 20

const readStatus = async (chain: Chain) => {
  const head = chain.head()
  const header = chain.blocks.header(head.number)
  if (header === undefined) throw callFailed('header not found')
  const [behind, self] = await Promise.all([
    orUndefined(async () => blocksBehind(await chain.network.syncing())),
    orUndefined(() => chain.network.self()),
  ])
  const trust = chain.trust?.()
  return {
    mode: chain.mode,
    height: toQuantity(head.number),
    time: toQuantity(head.time),
    lag: {
      blocks: behind === undefined ? null : toQuantity(behind),
      seconds: toQuantity(Math.max(0, Math.floor(Date.now() / 1000) - head.time)),
    },
    fork: forkOfHeader(chain.config, header),
    forks: forksAhead(chain.config, head).map(({ name, by, at, isKnown, version: first, problem }) => ({
      name,
      at: toQuantity(at),
      by,
      known: isKnown,
      version: first ?? null,
      problem: problem ?? null,
    })),
    versions: { perihelion: version, node: process.versions.node, engine: self?.version ?? null },
    modified: chain.isModified?.() ?? false,
    refused: (chain.pool.refusals?.() ?? []).map(({ hash, sender, nonce, reason, isGivenUp }) => ({
      hash: toHex(hash),
      from: toHex(sender),
      nonce: toQuantity(nonce),
      reason,
      givenUp: isGivenUp,
    })),
    verified: trust?.isVerified ?? null,
    verifiedState: trust === undefined ? null : trust.stateProofs !== undefined,
    stateProblem: trust?.stateProofs?.problem ?? null,
    lies: (trust?.lies ?? []).slice(-maxShownLies).map(({ time, kind, block, problem }) => ({
      time: toQuantity(time),
      kind,
      block: toQuantity(block),
      problem,
    })),
  }
}

const heightOf = (chain: Chain, ref: BlockRef): number => {
  const number = chain.blocks.resolve(ref)
  if (number === undefined) throw callFailed('unknown block')
  return number === 'pending' ? chain.head().number + 1 : number
}

const toJson = ({ publicKey, engineAddress, power, reward }: NetworkValidator) => ({
  pubkey: toHex(publicKey),
  cometbftAddress: toHex(engineAddress),
  power: toQuantity(power),
  reward: reward === undefined ? null : toHex(reward),
})
