import { afterEach, describe, expect, it, vi } from 'vitest'
import { addressOf, createCandidate } from '../../../../test/support/signedCandidates.ts'
import {
  clock,
  type DecidedByAll,
  decideBlock,
  openValidator,
  useValidators,
  type Validator,
} from '../../../../test/support/validators.ts'
import { createGenesis, type Genesis } from '../../../chain/genesis/genesis.ts'
import type { RecoveredTransaction } from '../../../chain/transaction/transaction.ts'
import { codes } from '../../../cosmos/codes.ts'
import { RoomForecast } from '../proposing/roomForecast.ts'

useValidators()

/** Uses all the gas of its caller. */
const burner = new Uint8Array(20).fill(0xb0)
/** Does next to nothing. */
const idler = new Uint8Array(20).fill(0xb1)

const gwei = 10n ** 9n
const hugeLimit = 16_700_000n
const forkTime = 2_000
const blockGas = 60_000_000n

const withContracts = (genesis: Genesis): Genesis => {
  const account = (address: Uint8Array, ...code: number[]) => ({
    address,
    balance: 0n,
    nonce: 1n,
    code: Uint8Array.from(code),
    storage: [],
  })
  const accounts = [account(burner, 0xfe), account(idler, 0x5f, 0x50, 0x00)]
  const { changes } = createGenesis(genesis.config, accounts, genesis.header(new Uint8Array(32)))
  return {
    ...genesis,
    changes: {
      accounts: [...genesis.changes.accounts, ...changes.accounts],
      code: [...genesis.changes.code, ...changes.code],
    },
  }
}

const accounts = Array.from({ length: 120 }, (_, sender) => ({
  address: addressOf(sender),
  balance: 10n ** 24n,
}))

type Fork = 'on' | 'off' | 'later'

const open = (fork: Fork): Promise<Validator> => {
  const times = { on: { fullBlocksTime: 0 }, off: {}, later: { fullBlocksTime: forkTime } }
  return openValidator('osaka', times[fork], withContracts, { accounts, gasLimit: blockGas })
}

/** A network of two validators, whose blocks come every second. */
const startNetwork = async (fork: Fork, firstTime = 1_500) => {
  const validators = [await open(fork), await open(fork)] as const
  const nonces = new Map<number, bigint>()
  let height = 0
  clock.now = firstTime
  const send = async (
    sender: number,
    tip: bigint,
    fields: Parameters<typeof createCandidate>[2],
  ): Promise<RecoveredTransaction> => {
    const nonce = nonces.get(sender) ?? 0n
    nonces.set(sender, nonce + 1n)
    const fees = { maxPriorityFeePerGas: tip * gwei, maxFeePerGas: 100n * gwei }
    const candidate = createCandidate(sender, nonce, { value: 0n, ...fees, ...fields })
    for (const { submit } of validators) expect(await submit(candidate)).toBeUndefined()
    return candidate
  }
  /** Decides a block; the validators propose in turns. */
  const decide = (): Promise<DecidedByAll> => {
    clock.now++
    const [one, other] = validators
    const order = height % 2 === 0 ? ([one, other] as const) : ([other, one] as const)
    return decideBlock(order, ++height, clock.now, 16_000_000n)
  }
  return { validators, send, decide }
}

const countRan = ({ codes: all }: DecidedByAll): number =>
  all.filter((code) => code === codes.success || code === codes.failed).length

const bytesWithoutRoom = ({ natives, codes: all }: DecidedByAll): number =>
  natives.reduce((sum, { length }, at) => sum + (all[at] === codes.noRoom ? length : 0), 0)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('thirty cheap transactions with gas limits of 16.7 million', () => {
  /** Returns the transactions of each block until all are included. */
  const run = async (fork: Fork, to: Uint8Array): Promise<number[]> => {
    const { send, decide } = await startNetwork(fork)
    for (let sender = 0; sender < 30; sender++) await send(sender, 1n, { to, gasLimit: hugeLimit })
    const counts: number[] = []
    for (let left = 30; left > 0; left -= counts.at(-1) as number) counts.push(countRan(await decide()))
    return counts
  }

  it('take ten blocks without the fork', async () => {
    expect(await run('off', addressOf(7))).toEqual(Array(10).fill(3))
  })

  it('take one block if they are transfers, and two if they are calls', async () => {
    expect(await run('on', addressOf(7))).toEqual([30])
    expect(await run('on', idler)).toEqual([3, 27])
  })

  it('take the blocks of before up to the time of the fork', async () => {
    const { send, decide } = await startNetwork('later', forkTime - 3)
    for (let sender = 0; sender < 30; sender++)
      await send(sender, 1n, { to: addressOf(7), gasLimit: hugeLimit })
    expect([countRan(await decide()), countRan(await decide()), countRan(await decide())]).toEqual([3, 3, 24])
  })
})

describe('a transaction that finds no room', () => {
  /** Has the proposers expect much less than what the next block uses. */
  const mislead = async ({ send, decide }: Awaited<ReturnType<typeof startNetwork>>): Promise<void> => {
    for (let sender = 100; sender < 103; sender++) await send(sender, 90n, { to: idler, gasLimit: hugeLimit })
    expect(countRan(await decide())).toBeGreaterThanOrEqual(3)
  }

  it('pays nothing, stays pooled on all nodes, and is included later', async () => {
    const network = await startNetwork('on')
    const { validators, send, decide } = network
    await mislead(network)
    const sent: RecoveredTransaction[] = []
    for (let sender = 0; sender < 8; sender++) {
      const tip = BigInt(20 - sender)
      sent.push(await send(sender, tip, { to: burner, gasLimit: 10_000_000n }))
      sent.push(await send(sender, tip, { to: addressOf(7) }))
    }
    const block = await decide()
    const { failed, noRoom, success } = codes
    // The sixth has 10,000,000 less five transfers; what comes behind it of its sender has no room either.
    expect(block.codes).toEqual(
      [...Array(5).fill([failed, success]), ...Array(3).fill([noRoom, noRoom])].flat(),
    )
    for (const { pool, state } of validators) {
      expect(pool.counts).toEqual({ pending: 6, queued: 0 })
      for (const { hash, sender } of sent.slice(10)) {
        expect(pool.get(hash)).toBeDefined()
        expect(state(sender)).toMatchObject({ nonce: 0n, balance: 10n ** 24n })
      }
    }
    expect((await decide()).codes).toEqual(Array(3).fill([failed, success]).flat())
    for (const { pool } of validators) expect(pool.counts).toEqual({ pending: 0, queued: 0 })
  })

  it('has the same result where nobody voted on the block', async () => {
    const network = await startNetwork('on')
    await mislead(network)
    for (let sender = 0; sender < 8; sender++)
      await network.send(sender, 1n, { to: burner, gasLimit: 10_000_000n })
    const { natives, codes: all } = await network.decide()
    expect(all.filter((code) => code === codes.noRoom)).toHaveLength(2)
    expect(natives).toHaveLength(8)
    const [{ replayed }] = network.validators
    const late = await open('on')
    for (const { request, response } of replayed) {
      expect(await late.handler.finalizeBlock(request as never)).toEqual(response)
      await late.handler.commit({} as never)
    }
  })

  it('is proposed again ever more seldom, unless it is sure of its room', async () => {
    /** Has every second block filled by what pays, and returns how often a block held each of ten that find no room. */
    const attack = async (): Promise<number> => {
      const network = await startNetwork('on')
      const { send, decide } = network
      for (let sender = 0; sender < 10; sender++)
        await send(sender, 1n, { to: idler, data: new Uint8Array(10_000), gasLimit: hugeLimit })
      let bytes = 0
      for (let round = 0; round < 16; round++) {
        await mislead(network)
        for (let sender = 60; sender < 64; sender++)
          await send(sender, 90n, { to: burner, gasLimit: 14_900_000n })
        bytes += bytesWithoutRoom(await decide())
      }
      return Math.round(bytes / (10 * 10_000))
    }
    expect(await attack()).toBe(5)
    vi.spyOn(RoomForecast.prototype, 'mayTry').mockReturnValue(true)
    expect(await attack()).toBe(16)
  })
})

describe('gas limits that are not used', () => {
  /** Sends what pays much and asks for whole blocks before each of ten blocks, and returns what others got of them. */
  const attack = async (fork: Fork, to: Uint8Array) => {
    const { send, decide } = await startNetwork(fork)
    for (let sender = 0; sender < 20; sender++) await send(sender, 1n, { to: addressOf(7) })
    let others = 0
    let paid = 0n
    for (let round = 0; round < 10; round++) {
      for (let sender = 100; sender < 104; sender++) await send(sender, 90n, { to, gasLimit: blockGas / 4n })
      const block = await decide()
      others += countRan(block) - 4
      paid += block.gasUsed
    }
    return { others, paid }
  }

  it('keep others out of all blocks for 84,000 gas each without the fork', async () => {
    expect(await attack('off', addressOf(7))).toEqual({ others: 0, paid: 10n * 84_000n })
  })

  it.each([
    ['transfers', addressOf(7)],
    ['calls', idler],
  ])('keep nobody out with it: %s', async (_, to) => {
    expect(await attack('on', to)).toMatchObject({ others: 20 })
  })
})
