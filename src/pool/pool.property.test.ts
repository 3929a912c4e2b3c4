import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  address,
  createSubmission,
  createTestPool,
  dynamicFee,
  gwei,
  testHead,
} from '../../test/support/pool.ts'
import { slow } from '../../test/support/slow.ts'
import { ethereumLimits } from '../chain/config/limits.ts'
import { checkTransaction } from '../chain/transaction/transactionRules.ts'
import type { AddResult, PoolSettings, PoolTransaction, Signers, Submission } from './types.ts'

/**
 * Random operations against a model that is a plain list: no runs kept, no counters, no indexes, everything computed
 * from the list each time it is read.
 */

const senders = [0, 1, 2, 3]
const unit = 21_000n * gwei

const send = fc.record({
  op: fc.constant('send' as const),
  sender: fc.constantFrom(...senders),
  offset: fc.constantFrom(-1, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6),
  feeCap: fc.integer({ min: 1, max: 12 }),
  tip: fc.integer({ min: 1, max: 12 }),
  value: fc.constantFrom(0, 1, 2, 5, 20),
})
const block = fc.record({
  op: fc.constant('block' as const),
  take: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 4, maxLength: 4 }),
  balances: fc.array(fc.option(fc.integer({ min: 0, max: 90 }), { freq: 2 }), { minLength: 4, maxLength: 4 }),
  baseFee: fc.integer({ min: 0, max: 8 }),
})
const remove = fc.record({ op: fc.constant('remove' as const), pick: fc.nat(1_000) })
const wait = fc.record({ op: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 120 }) })
const back = fc.record({
  op: fc.constant('back' as const),
  sender: fc.constantFrom(...senders),
  by: fc.integer({ min: 0, max: 3 }),
})
const operations = fc.array(
  fc.oneof({ weight: 12, arbitrary: send }, { weight: 2, arbitrary: block }, remove, wait, back),
  { minLength: 1, maxLength: 80, size: 'max' },
)
type Operation = typeof operations extends fc.Arbitrary<(infer One)[]> ? One : never

const at = <T>(list: readonly T[], index: number): T => list[index] as T
const total = (list: readonly PoolTransaction[]): bigint => list.reduce((sum, { cost }) => sum + cost, 0n)

class Model {
  readonly #state: ReturnType<typeof createTestPool>['state']
  list: PoolTransaction[] = []

  constructor(state: ReturnType<typeof createTestPool>['state']) {
    this.#state = state
  }

  of(sender: number): PoolTransaction[] {
    const mine = this.list.filter((tx) => Buffer.compare(tx.sender, address(sender)) === 0)
    return mine.sort((a, b) => Number(a.transaction.nonce - b.transaction.nonce))
  }

  run(sender: number): PoolTransaction[] {
    const { nonce, balance } = this.#state.at(address(sender))
    const run: PoolTransaction[] = []
    for (const tx of this.of(sender)) {
      if (tx.transaction.nonce !== nonce + BigInt(run.length)) break
      if (total([...run, tx]) > balance) break
      run.push(tx)
    }
    return run
  }

  /** Returns the result that the pool must give; accepted transactions are added to the model. */
  send(sender: number, tx: PoolTransaction): string {
    const { nonce, balance } = this.#state.at(address(sender))
    if (this.list.some(({ id }) => id === tx.id)) return 'alreadyKnown'
    if (tx.transaction.nonce < nonce) return 'nonceTooLow'
    if (tx.cost > balance) return 'insufficientFunds'
    const run = this.run(sender)
    const old = this.of(sender).find((other) => other.transaction.nonce === tx.transaction.nonce)
    const isPending = old !== undefined && run.includes(old)
    if (isPending && total(run) - old.cost + tx.cost > balance) return 'insufficientFundsForBump'
    if (!isPending && total(run) + tx.cost > balance) return 'insufficientFundsForAll'
    if (old !== undefined) {
      const rises = (now: bigint, before: bigint) => now > before && now >= (before * 11n) / 10n
      if (!rises(tx.feeCap, old.feeCap) || !rises(tx.tipCap, old.tipCap)) return 'replacementUnderpriced'
      this.list = this.list.filter((other) => other !== old)
    }
    this.list.push(tx)
    return 'taken'
  }

  drop(...dropped: PoolTransaction[]): void {
    this.list = this.list.filter((tx) => !dropped.includes(tx))
  }

  /** Applies a new head; `runs` are the pending transactions before it. */
  head(runs: readonly PoolTransaction[][]): void {
    for (const sender of senders) {
      const { nonce, balance } = this.#state.at(address(sender))
      const run = at(runs, sender).filter((tx) => tx.transaction.nonce >= nonce)
      const unpayable = run.find((_, index) => total(run.slice(0, index + 1)) > balance)
      this.drop(
        ...this.of(sender).filter(
          (tx) => tx.transaction.nonce < nonce || tx === unpayable || tx.cost > balance,
        ),
      )
    }
  }
}

const createRun = (settings: Partial<PoolSettings>) => {
  const test = createTestPool({ settings })
  for (const sender of senders) test.state.at(address(sender)).balance = 60n * unit
  let head = testHead
  const known = new Set<PoolTransaction>()

  const signersOf = (sender: number): Signers => ({ sender: address(sender), authorities: [] })
  const submission = (op: Extract<Operation, { op: 'send' }>): Submission => {
    const { nonce } = test.state.at(address(op.sender))
    const wanted = nonce + BigInt(op.offset)
    const fields = dynamicFee({
      nonce: wanted < 0n ? 0n : wanted,
      maxFeePerGas: BigInt(Math.max(op.feeCap, op.tip)) * gwei,
      maxPriorityFeePerGas: BigInt(op.tip) * gwei,
      value: BigInt(op.value) * unit,
    })
    return createSubmission(fields, op.sender)
  }
  const add = (op: Extract<Operation, { op: 'send' }>): AddResult =>
    test.pool.add(submission(op), signersOf(op.sender), false)

  const mine = (op: Extract<Operation, { op: 'block' }>): void => {
    const included: Uint8Array[] = []
    const changed: Uint8Array[] = []
    for (const sender of senders) {
      const account = test.state.at(address(sender))
      const taken = test.pool.pendingOf(address(sender)).slice(0, at(op.take, sender))
      const balance = at(op.balances, sender)
      if (taken.length === 0 && balance === null) continue
      account.nonce += BigInt(taken.length)
      if (balance !== null) account.balance = BigInt(balance) * unit
      included.push(...taken.map(({ hash }) => hash))
      changed.push(address(sender))
    }
    head = { ...head, number: head.number + 1n, baseFee: BigInt(op.baseFee) * gwei }
    test.pool.onHead(head, { included, changed })
  }

  const goBack = (op: Extract<Operation, { op: 'back' }>): void => {
    const account = test.state.at(address(op.sender))
    const by = BigInt(op.by) < account.nonce ? BigInt(op.by) : account.nonce
    account.nonce -= by
    const reverted = Array.from({ length: Number(by) }, (_, index): readonly [Submission, Signers] => [
      createSubmission(
        dynamicFee({ nonce: account.nonce + BigInt(index), maxPriorityFeePerGas: 7n }),
        op.sender,
      ),
      signersOf(op.sender),
    ])
    test.pool.reset(head, reverted)
    for (const tx of test.pool.transactions()) known.add(tx)
  }

  return { ...test, known, add, mine, goBack, submission, head: () => head }
}

/** Checks the invariants that hold whatever the caps, using only the pool's public methods. */
const checkInvariants = (run: ReturnType<typeof createRun>, settings: PoolSettings): void => {
  const { pool, state } = run
  const { pending, queued } = pool.content()
  const all = [...pending.values(), ...queued.values()].flat()
  expect(ids(pool.transactions())).toEqual(ids(all))
  expect(pool.counts).toEqual({
    pending: [...pending.values()].flat().length,
    queued: [...queued.values()].flat().length,
  })
  expect(pool.counts.pending).toBeLessThanOrEqual(settings.globalSlots)
  expect(pool.counts.queued).toBeLessThanOrEqual(settings.globalQueue)
  for (const sender of senders) {
    const { nonce, balance } = state.at(address(sender))
    const runOf = pool.pendingOf(address(sender))
    expect(runOf.map(({ transaction }) => transaction.nonce)).toEqual(
      runOf.map((_, index) => nonce + BigInt(index)),
    )
    expect(total(runOf) <= balance).toBe(true)
    expect(pool.nextNonce(address(sender))).toBe(nonce + BigInt(runOf.length))
    const waiting = pool.queuedOf(address(sender)).map(({ transaction }) => transaction.nonce)
    expect(waiting).toEqual([...new Set(waiting)].sort((a, b) => Number(a - b)))
    expect(waiting.every((waits) => waits >= nonce + BigInt(runOf.length))).toBe(true)
    expect(waiting.length).toBeLessThanOrEqual(settings.accountQueue)
  }
  expect(all.filter((tx) => pool.get(tx.hash) !== tx)).toEqual([])
  // A transaction that the pool accepts must be valid in a block.
  for (const { transaction } of all) checkTransaction(transaction, 'osaka', 31_337n, ethereumLimits)
}

const ids = (list: Iterable<PoolTransaction>): string[] => [...list].map(({ id }) => id).sort()

const effective = (tx: PoolTransaction, baseFee: bigint): bigint =>
  tx.tipCap < tx.feeCap - baseFee ? tx.tipCap : tx.feeCap - baseFee

/** Repeatedly selects the best first transaction of any sender. */
const selectNaively = (runs: PoolTransaction[][], baseFee: bigint): PoolTransaction[] => {
  const chosen: PoolTransaction[] = []
  for (;;) {
    const heads = runs.filter(([tx]) => tx && effective(tx, baseFee) >= 0n)
    heads.sort(([a], [b]) => {
      const [x, y] = [a as PoolTransaction, b as PoolTransaction]
      return Number(effective(y, baseFee) - effective(x, baseFee)) || x.arrival - y.arrival
    })
    const best = heads[0]?.shift()
    if (best === undefined) return chosen
    chosen.push(best)
  }
}

describe('the pool over random operations', () => {
  it('agrees with a plain list, as long as no cap is met', slow, () => {
    fc.assert(
      fc.property(operations, (list) => {
        const run = createRun({})
        const { pool, state } = run
        const model = new Model(state)
        for (const op of list) {
          const runs = senders.map((sender) => model.run(sender))
          if (op.op === 'send') {
            const admission = run.add(op)
            const tx =
              admission.transaction ??
              ({ ...run.submission(op), ...fees(run.submission(op)) } as PoolTransaction)
            const expected = model.send(op.sender, { ...tx, sender: address(op.sender) })
            expect(admission.rejection?.kind ?? 'taken').toBe(expected)
            if (admission.transaction) model.list[model.list.length - 1] = admission.transaction
          } else if (op.op === 'block') {
            run.mine(op)
            model.head(runs)
          } else if (op.op === 'remove') {
            const tx = model.list[op.pick % Math.max(1, model.list.length)]
            if (tx) model.drop(tx)
            expect(pool.remove(tx?.hash ?? new Uint8Array(32))).toBe(tx !== undefined)
          } else if (op.op === 'back') {
            run.goBack(op)
            const before = senders.flatMap((sender) => model.of(sender))
            const reverted = [...pool.transactions()].filter((tx) => !before.includes(tx))
            model.list = []
            for (const tx of [...reverted, ...before])
              model.send(
                senders.find((sender) => Buffer.compare(address(sender), tx.sender) === 0) as number,
                tx,
              )
          }
          for (const sender of senders) {
            const expected = model.run(sender)
            const rest = model.of(sender).filter((tx) => !expected.includes(tx))
            expect(pool.pendingOf(address(sender)).map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
            expect(pool.queuedOf(address(sender)).map(({ id }) => id)).toEqual(rest.map(({ id }) => id))
          }
          const { baseFee } = run.head()
          const limits = {
            baseFee,
            blobBaseFee: 1n,
            minTip: 0n,
            gasLimit: 10n ** 9n,
            maxBytes: 10 ** 9,
            maxBlobs: 0,
          }
          const runsNow = senders.map((sender) => [...pool.pendingOf(address(sender))])
          const selected = [...pool.select(limits)].map(({ id }) => id)
          expect(selected).toEqual(selectNaively(runsNow, baseFee).map(({ id }) => id))
        }
      }),
      { numRuns: 80 },
    )
  })

  const small = { globalSlots: 6, accountSlots: 2, globalQueue: 4, accountQueue: 3 }

  it('keeps its promises when every cap is met', slow, () => {
    fc.assert(
      fc.property(operations, (list) => {
        const run = createRun(small)
        const { pool, clock, told, known } = run
        const settings = { ...small } as PoolSettings
        for (const op of list) {
          const { version } = pool
          const before = [...pool.transactions()]
          const pendingBefore = before.filter((tx) => pool.isPending(tx))
          const droppedBefore = told.dropped.length
          if (op.op === 'send') {
            const { transaction } = run.add(op)
            const dropped = told.dropped.slice(droppedBefore)
            if (transaction === undefined) expect(ids(pool.transactions())).toEqual(ids(before))
            else known.add(transaction)
            // A queued transaction evicts no pending one, except that it may replace its predecessor.
            if (transaction && !pool.isPending(transaction))
              expect(dropped.filter((tx) => pendingBefore.includes(tx))).toEqual([])
          } else if (op.op === 'block') run.mine(op)
          else if (op.op === 'remove')
            pool.remove(before[op.pick % Math.max(1, before.length)]?.hash ?? new Uint8Array(32))
          else if (op.op === 'back') run.goBack(op)
          else {
            clock.now += op.minutes * 60_000
            pool.expire()
          }
          checkInvariants(run, settings)
          const now = [...pool.transactions()]
          const dropped = new Set(told.dropped)
          const changed = now.length !== before.length || now.some((tx) => !before.includes(tx))
          if (changed) expect(pool.version).not.toBe(version)
          expect(ids(now)).toEqual(ids([...known].filter((tx) => !dropped.has(tx))))
        }
      }),
      { numRuns: 100 },
    )
  })
})

/** Returns the fees that the model needs of a transaction which the pool rejected. */
const fees = ({ transaction: tx }: Submission) => {
  if (tx.type !== 2) throw new Error('the operations send type 2 alone')
  return {
    feeCap: tx.maxFeePerGas,
    tipCap: tx.maxPriorityFeePerGas,
    cost: tx.gasLimit * tx.maxFeePerGas + tx.value,
  }
}
