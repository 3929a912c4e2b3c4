import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { privateKeyToAddress } from '../../src/base/crypto/crypto.ts'
import { deriveMnemonicKeys } from '../../src/keystore/wallets/mnemonic.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { createRandom, type Random } from '../support/random.ts'
import { Traffic } from '../support/traffic/traffic.ts'
import { createRpc, type Rpc } from '../support/verifier/rpc.ts'
import { Replica } from './replica.ts'

export interface RestartOptions {
  readonly home: string
  readonly rounds: number
  readonly seed: number
  /** The point of a commit (test/network/failPoints.mjs) at which a round ends, instead of at a random moment. */
  readonly failPoint?: (round: number) => string
  /** Another build of the program: one with a fault in it must be found. */
  readonly mainFile?: string
  readonly onRound?: (round: number, facts: RoundFacts) => void
}

export interface RoundFacts {
  readonly acknowledged: number
  readonly head: number
  readonly readyMs: number
}

const mnemonic = 'test test test test test test test test test test test junk'
/** Senders at work at once; each waits for its transaction's block before it sends the next. */
const lanes = 4

/**
 * Load, SIGKILL at a random moment, start, check: round after round on one home. What was acknowledged (a receipt was
 * served) is kept here, in another process than the node's. Every block is executed again by a replica.
 */
export const restartRounds = async (options: RestartOptions): Promise<RoundFacts> => {
  const random = createRandom(options.seed)
  const acknowledged: string[] = []
  const replica = new Replica()
  let last: RoundFacts = { acknowledged: 0, head: 0, readyMs: 0 }
  try {
    for (let round = 0; round <= options.rounds; round++) {
      const startedAt = performance.now()
      const program = runProgram(
        ['start', ...isolatedFlags(options.home), '--log.level=warn'],
        round < options.rounds ? failPointEnv(options.failPoint?.(round), random) : {},
        options.mainFile,
      )
      try {
        const { http = '' } = await program.ready()
        const readyMs = performance.now() - startedAt
        const rpc = createRpc(http)
        if (round === 0) await replica.begin(rpc, devOptions())
        await checkAcknowledged(rpc, acknowledged)
        const head = await replica.follow(rpc)
        last = { acknowledged: acknowledged.length, head, readyMs }
        options.onRound?.(round, last)
        // The last start only checks what the round before it left.
        if (round < options.rounds)
          await loadUntilKilled(program, rpc, round, random, acknowledged, options.failPoint !== undefined)
      } finally {
        program.child.kill('SIGKILL')
        await program.ended()
      }
    }
    return last
  } finally {
    await replica.close()
  }
}

const preload = fileURLToPath(new URL('../network/failPoints.mjs', import.meta.url))

/** Returns the variables with which a program dies at a point, at one of the first times that it passes it. */
const failPointEnv = (point: string | undefined, random: Random): Readonly<Record<string, string>> =>
  point === undefined
    ? {}
    : {
        NODE_OPTIONS: `--import=${preload}`,
        FAIL_POINT: point,
        FAIL_AFTER: String(blocksOfSetUp + random.below(10)),
      }

/** The blocks that a round makes before its traffic begins. */
const blocksOfSetUp = 16

const devOptions = () => {
  const [...addresses] = deriveMnemonicKeys(mnemonic, 11).map((key) => privateKeyToAddress(key))
  const coinbase = addresses.pop() as Uint8Array // eleven were derived
  return {
    chainId: 31_337n,
    accounts: addresses.map((address) => ({ address, balance: 10_000n * 10n ** 18n })),
    coinbase,
  }
}

const checkAcknowledged = async (rpc: Rpc, hashes: readonly string[]): Promise<void> => {
  for (const hash of hashes) {
    const receipt = await rpc<{ transactionHash: string } | null>('eth_getTransactionReceipt', hash)
    assert.equal(receipt?.transactionHash, hash, `the receipt of ${hash}, which was served before the kill`)
  }
}

const loadUntilKilled = async (
  program: Program,
  rpc: Rpc,
  round: number,
  random: Random,
  acknowledged: string[],
  diesByItself: boolean,
): Promise<void> => {
  const killAfterMs = 100 + random.fraction() * 900
  const traffics = await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => new Traffic(rpc, 1 + round * lanes + lane, 2)),
  )
  for (const traffic of traffics) await traffic.setUp()
  let isKilled = false
  const work = traffics.map(async (traffic) => {
    while (!isKilled) {
      try {
        const hash = await traffic.send()
        if ((await rpc('eth_getTransactionReceipt', hash)) !== null) acknowledged.push(hash)
      } catch (error) {
        // A connection that breaks is the kill; anything else is a fault.
        if (!isKilled && !isConnectionError(error)) throw error
        if (diesByItself) return
      }
    }
  })
  const settled = Promise.allSettled(work)
  if (diesByItself) assert.equal(await program.ended(), 'SIGKILL')
  else await sleep(killAfterMs)
  isKilled = true
  program.child.kill('SIGKILL')
  for (const lane of await settled) if (lane.status === 'rejected') throw lane.reason
}

const isConnectionError = (error: unknown): boolean =>
  ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')
