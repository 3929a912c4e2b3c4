import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import { codes } from '../../src/cosmos/codes.ts'
import { perihelionDialect } from '../../src/cosmos/transaction/dialect.ts'
import { encodeProposerEntry } from '../../src/cosmos/transaction/proposerEntry.ts'
import { unwrapTransaction } from '../../src/cosmos/transaction/unwrap.ts'
import { ResponseSchema } from '../../src/engine/cometbft/abci/gen/perihelion/abci/v1/abci_pb.ts'
import { encodePoolTransaction } from '../../src/engine/cometbft/abci/handler.ts'
import type { EngineContext } from '../../src/engine/engine.ts'
import type { Seams } from './application.ts'
import { rewardOf, type Scenario } from './scenario.ts'
import { type SimulationResult, simulate } from './simulation.ts'
import type { ViolationKind } from './violation.ts'

/** A mistake of agreement or of liveness, planted in nodes of a simulation, which has to find it. */
export interface Defect {
  readonly name: string
  /** What the mistake may show itself as. */
  readonly shows: readonly ViolationKind[]
  /** What the message has in it. */
  readonly message?: RegExp
  /** What the mistake needs to show itself soon. */
  readonly scenario: Partial<Scenario>
  readonly heights: number
  /** Returns the seams of a node. What they close over survives a crash, as a disk does. */
  readonly plant: (node: number) => Seams
}

const noForks = { cancunTime: 0, pragueTime: 0, osakaTime: 0 }
const steady = {
  forks: noForks,
  crashes: 0,
  partitions: 0,
  delays: 0,
  outage: undefined,
  traffic: 300,
  maxBlockBytes: 16_000_000,
}
const genesisSeconds = 1_700_000_000
/** Blocks for a few transactions, which find no room now and then. */
const crowded = { ...steady, traffic: 60, blockGas: 400_000 }

const decode = (tx: Uint8Array) => unwrapTransaction(tx, perihelionDialect).native
const findIn = ({ pool }: EngineContext, tx: Uint8Array) => {
  const native = decode(tx)
  return native && pool.get(keccak256(native.raw))
}

/** Returns another response to FinalizeBlock. */
const changeResponse = (
  response: Uint8Array,
  change: (value: {
    appHash: Uint8Array
    validatorUpdates: unknown[]
    txResults: { code: number }[]
  }) => void,
): Uint8Array => {
  const message = fromBinary(ResponseSchema, response)
  if (message.value.case !== 'finalizeBlock') throw new Error('another response')
  change(message.value.value)
  return toBinary(ResponseSchema, create(ResponseSchema, message))
}

export const defects: readonly Defect[] = [
  {
    name: 'fork boundary: the proposer proposes what its pool holds by its own clock',
    shows: ['refused'],
    message: /type 4|over 16777216/,
    scenario: {
      ...steady,
      skews: [4000, 0, 0, 0],
      traffic: 60,
      outage: { after: 4000, length: 10_000 },
      nodes: 4,
      validators: 4,
      forks: { cancunTime: 0, pragueTime: genesisSeconds + 8 },
    },
    heights: 60,
    plant: () => ({
      handler: (handler, context) => ({
        ...handler,
        prepareProposal: async (request) => {
          const { txs = [] } = (await handler.prepareProposal(request)) as { txs?: Uint8Array[] }
          const known = new Set(txs.map((tx) => toHex(tx)))
          const more = [...context.pool.transactions()]
            .filter((tx) => tx.transaction.type === 4 && context.pool.isPending(tx))
            .map(encodePoolTransaction)
          return { txs: [...txs, ...more.filter((tx) => !known.has(toHex(tx)))] }
        },
      }),
    }),
  },
  {
    name: 'a forgotten rule change: one node executes Prague with the rules of Cancun',
    shows: ['agreement'],
    scenario: { ...steady, forks: { cancunTime: 0, pragueTime: genesisSeconds + 5 } },
    heights: 60,
    plant: (node) =>
      node !== 1
        ? {}
        : {
            evm: (evm) => ({
              ...evm,
              createExecution: (context) =>
                evm.createExecution({
                  ...context,
                  fork: context.fork === 'prague' ? 'cancun' : context.fork,
                }),
            }),
          },
  },
  {
    name: 'a forgotten rule change: the pools keep the rules with which they began',
    shows: ['refused', 'inclusion'],
    scenario: { ...steady, forks: { cancunTime: 0, pragueTime: 0, osakaTime: genesisSeconds + 5 } },
    heights: 120,
    plant: () => ({
      context: (context) => {
        const { pool } = context
        const { fork } = pool.head
        const { onHead } = pool
        pool.onHead = (head, update) =>
          onHead.call(pool, { ...head, fork, renew: undefined } as typeof head, update)
        return context
      },
    }),
  },
  {
    name: 'the time of a block is that of the clock of the node',
    shows: ['agreement'],
    scenario: { ...steady, skews: [0, 3000, -2000, 0, 0] },
    heights: 20,
    plant: () => ({
      application: (app) => ({
        ...app,
        finalizeDecided: (decided) =>
          app.finalizeDecided({ ...decided, time: BigInt(Math.floor(Date.now() / 1000)) }),
      }),
    }),
  },
  {
    name: 'each node takes the tips for itself',
    shows: ['agreement'],
    scenario: steady,
    heights: 20,
    plant: (node) => ({
      application: (app) => ({
        ...app,
        finalizeDecided: (decided) => {
          const entry = encodeProposerEntry({ height: BigInt(decided.height), reward: rewardOf(node) })
          return app.finalizeDecided({ ...decided, entries: [entry, ...decided.entries.slice(1)] })
        },
      }),
    }),
  },
  {
    name: 'the outcome of the first proposal of a height is used, whatever was decided',
    shows: ['agreement', 'failure'],
    scenario: { ...steady, delays: 0.4, traffic: 150 },
    heights: 60,
    plant: () => {
      let first:
        | Parameters<NonNullable<ReturnType<NonNullable<Seams['application']>>>['finalizeDecided']>[0]
        | undefined
      return {
        application: (app) => ({
          ...app,
          processProposal: async (proposal) => {
            const reason = await app.processProposal(proposal)
            if (reason === undefined && first?.height !== proposal.height) first = proposal
            return reason
          },
          finalizeDecided: (decided) =>
            app.finalizeDecided(first?.height === decided.height ? first : decided),
        }),
      }
    },
  },
  {
    name: 'a proposal is refused for a transaction that the own pool has not seen',
    shows: ['refused'],
    scenario: { ...steady, delays: 0.3 },
    heights: 40,
    plant: () => ({
      handler: (handler, context) => ({
        ...handler,
        processProposal: async (request) =>
          request.txs.slice(1).every((tx) => findIn(context, tx) !== undefined)
            ? handler.processProposal(request)
            : { status: 2 },
      }),
    }),
  },
  {
    name: 'the height is on the disk before the block is',
    shows: ['replay', 'failure'],
    scenario: { ...steady, crashes: 0.05 },
    heights: 60,
    plant: () => {
      let written: { readonly lastBlockHeight: bigint; readonly lastBlockAppHash: Uint8Array } | undefined
      return {
        handler: (handler) => ({
          ...handler,
          info: async (request) => {
            const info = (await handler.info(request)) as { lastBlockHeight: bigint }
            return written !== undefined && written.lastBlockHeight > info.lastBlockHeight ? written : info
          },
          finalizeBlock: async (request) => {
            const response = (await handler.finalizeBlock(request)) as Uint8Array
            changeResponse(response, ({ appHash }) => {
              written = { lastBlockHeight: request.height, lastBlockAppHash: appHash }
            })
            return response
          },
        }),
      }
    },
  },
  {
    name: 'validators change only where the proposal was seen',
    shows: ['agreement'],
    scenario: { ...steady, crashes: 0.03, validatorChanges: 0.5 },
    heights: 80,
    plant: () => {
      const seen = new Set<string>()
      return {
        handler: (handler) => ({
          ...handler,
          processProposal: (request) => {
            seen.add(toHex(request.hash))
            return handler.processProposal(request)
          },
          finalizeBlock: async (request) => {
            const response = (await handler.finalizeBlock(request)) as Uint8Array
            if (seen.has(toHex(request.hash))) return response
            return changeResponse(response, (value) => value.validatorUpdates.splice(0))
          },
        }),
      }
    },
  },
  {
    name: 'a block that is finalized twice has another result',
    shows: ['agreement'],
    scenario: { ...steady, crashes: 0.05 },
    heights: 60,
    plant: () => {
      const finalized = new Set<bigint>()
      return {
        handler: (handler) => ({
          ...handler,
          finalizeBlock: async (request) => {
            const isAgain = finalized.has(request.height)
            finalized.add(request.height)
            const response = (await handler.finalizeBlock(request)) as Uint8Array
            return isAgain ? changeResponse(response, ({ appHash }) => appHash.fill(1)) : response
          },
        }),
      }
    },
  },
  {
    name: 'a validator proposes only what was sent to itself',
    shows: ['inclusion'],
    scenario: { ...steady, nodes: 4, validators: 3, validatorChanges: 0 },
    heights: 60,
    plant: () => ({
      handler: (handler, context) => ({
        ...handler,
        prepareProposal: async (request) => {
          const { txs = [] } = (await handler.prepareProposal(request)) as { txs?: Uint8Array[] }
          return { txs: txs.filter((tx, index) => index === 0 || findIn(context, tx)?.isLocal === true) }
        },
      }),
    }),
  },
  {
    name: 'a proposal may have more bytes than the engine allows',
    shows: ['refused'],
    message: /bytes/,
    scenario: { ...steady, maxBlockBytes: 900, traffic: 100 },
    heights: 60,
    plant: () => ({
      handler: (handler) => ({
        ...handler,
        prepareProposal: (request) => handler.prepareProposal({ ...request, maxTxBytes: 1_000_000n }),
      }),
    }),
  },
  {
    name: 'a proposal is filled by use before the fork that allows it',
    shows: ['refused'],
    message: /gas of the block/,
    scenario: { ...crowded, forks: { ...noForks, fullBlocksTime: genesisSeconds + 3_600 } },
    heights: 60,
    plant: () => ({
      handler: (handler, context) => ({
        ...handler,
        prepareProposal: async (request) => {
          const { txs = [] } = (await handler.prepareProposal(request)) as { txs?: Uint8Array[] }
          const known = new Set(txs.map((tx) => toHex(tx)))
          const { pool } = context
          const more = [...pool.transactions()].filter((tx) => pool.isPending(tx)).map(encodePoolTransaction)
          return { txs: [...txs, ...more.filter((tx) => !known.has(toHex(tx)))] }
        },
      }),
    }),
  },
  {
    name: 'one node gives what finds no room the code of before the fork',
    shows: ['agreement'],
    scenario: { ...crowded, forks: { ...noForks, fullBlocksTime: genesisSeconds + 5 } },
    heights: 60,
    plant: (node) =>
      node !== 1
        ? {}
        : {
            handler: (handler) => ({
              ...handler,
              finalizeBlock: async (request) =>
                changeResponse((await handler.finalizeBlock(request)) as Uint8Array, ({ txResults }) => {
                  for (const result of txResults)
                    if (result.code === codes.noRoom) result.code = codes.outOfGas
                }),
            }),
          },
  },
]

/** The number of seeds, from 1 on, within which a defect is found. */
const maxSeeds = 5

/** Runs seeds until one shows the defect, and returns the last run. */
export const searchDefect = async ({ heights, scenario, plant }: Defect): Promise<SimulationResult> => {
  for (let seed = 1; ; seed++) {
    const result = await simulate({ seed, heights, scenario, seams: plant })
    if (result.violation !== undefined || seed === maxSeeds) return result
  }
}
