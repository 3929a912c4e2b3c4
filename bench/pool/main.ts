// The pool under load: `npm run bench -- pool [transactions] [senders]`. The recovery thread runs from the build.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { privateKeyToAddress } from '../../src/base/crypto.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import { signTransaction } from '../../src/chain/transaction/signature.ts'
import { decodeSubmission } from '../../src/pool/admission/submission.ts'
import { TransactionSubmitter } from '../../src/pool/admission/transactionSubmitter.ts'
import { Journal } from '../../src/pool/journal.ts'
import { TransactionPool } from '../../src/pool/pool.ts'
import {
  defaultRecoverySettings,
  type RecoverySettings,
  SenderRecovery,
} from '../../src/pool/recovery/senderRecovery.ts'
import {
  defaultPoolSettings,
  type PoolHead,
  type PoolSettings,
  type PoolState,
  type Signers,
  type Submission,
} from '../../src/pool/types.ts'

const total = Number(process.argv[2] ?? 100_000)
const senderCount = Number(process.argv[3] ?? 1_000)

const head: PoolHead = {
  number: 1n,
  time: 1n,
  gasLimit: 60_000_000n,
  baseFee: 10n ** 9n,
  blobBaseFee: 1n,
  fork: 'osaka',
  chainId: 31_337n,
}
const state: PoolState = { nonce: () => 0n, balance: () => 10n ** 24n, codeKind: () => 'none' }
const createPool = (settings: Partial<PoolSettings> = {}) =>
  new TransactionPool(
    { ...defaultPoolSettings, globalSlots: 2 * total, globalQueue: 2 * total, ...settings },
    { state, head, blobs: { accepted: false, rejection: 'no blobs' }, now: () => performance.now() },
  )

const keys = Array.from({ length: senderCount }, (_, index) => {
  const key = new Uint8Array(32).fill(1)
  new DataView(key.buffer).setUint32(0, index + 1)
  return key
})
const senders = keys.map((key) => privateKeyToAddress(key))

/** Round robin over the senders, nonces ascending, prices from a small generator so that every run is the same. */
let seed = 42
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed % below
}
const raws = Array.from({ length: total }, (_, index) => {
  const tip = BigInt(1 + random(1_000_000_000))
  const tx = signTransaction(
    {
      type: 2,
      chainId: 31_337n,
      nonce: BigInt(Math.floor(index / senderCount)),
      maxPriorityFeePerGas: tip,
      maxFeePerGas: 2n * 10n ** 9n + tip,
      gasLimit: 21_000n,
      to: senders[(index + 1) % senderCount] as Uint8Array,
      value: 1n,
      data: new Uint8Array(0),
      accessList: [],
    },
    keys[index % senderCount] as Uint8Array,
  )
  return encodeTransaction(tx)
})

/** CPU time, of all threads, is the figure that other work on the machine does not spoil. */
const report = (what: string, count: number, ms: number, cpuMs: number, more: string): void => {
  const perSecond = Math.round((count / ms) * 1_000).toLocaleString('en')
  const cpu = ((cpuMs * 1_000) / count).toFixed(1)
  const figures = `${perSecond.padStart(9)}/s ${ms.toFixed(0).padStart(6)} ms ${cpu.padStart(7)} µs CPU each`
  console.log(`${what.padEnd(56)} ${figures} ${more}`)
}

const timed = async (what: string, count: number, run: () => unknown): Promise<void> => {
  const from = performance.now()
  const cpuFrom = process.cpuUsage()
  const result = await run()
  const cpu = process.cpuUsage(cpuFrom)
  const cpuMs = (cpu.user + cpu.system) / 1_000
  report(what, count, performance.now() - from, cpuMs, typeof result === 'string' ? result : '')
}

const read = (raw: Uint8Array): Submission => decodeSubmission(raw).submission as Submission
const signers = (index: number): Signers => ({
  sender: senders[index % senderCount] as Uint8Array,
  authorities: [],
})
const limits = {
  baseFee: head.baseFee,
  blobBaseFee: 1n,
  minTip: 0n,
  gasLimit: 5_000n * 21_000n,
  maxBytes: 10_000_000,
  maxBlobs: 0,
}

console.log(`${total} transactions of ${senderCount} senders, node ${process.version}`)

await timed('decode and hash', total, () => raws.forEach(read))

const submissions = raws.map(read)
let pool = createPool()
await timed('add, decoded and recovered before', total, () =>
  submissions.forEach((submission, index) => {
    if (pool.add(submission, signers(index), false).rejection) throw new Error('refused')
  }),
)
for (const round of [1, 2, 3])
  await timed(`select 5,000 of ${total} (round ${round})`, 5_000, () => [...pool.select(limits)].length)

const included = [...pool.select(limits)]
const heights = new Map<string, bigint>()
for (const { sender, transaction } of included) heights.set(sender.toString(), transaction.nonce + 1n)
state.nonce = (address) => heights.get(address.toString()) ?? 0n
await timed('onHead with those 5,000', 5_000, () =>
  pool.onHead(
    { ...head, number: 2n, baseFee: head.baseFee + 1n },
    { included: included.map(({ hash }) => hash), changed: included.map(({ sender }) => sender) },
  ),
)
state.nonce = () => 0n

pool = createPool()
await timed('add raw, recovered before', total, () =>
  raws.forEach((raw, index) => {
    if (pool.add(read(raw), signers(index), false).rejection) throw new Error('refused')
  }),
)

pool = createPool({ globalSlots: 5_120, globalQueue: 1_024 })
let refused = 0
await timed('add to a pool of 5,120 + 1,024, mostly full', total, () => {
  submissions.forEach((submission, index) => {
    if (pool.add(submission, signers(index), false).rejection) refused++
  })
  return `${refused} refused, ${pool.counts.pending} pending`
})

/** `width` transactions are under way at any time, as that many connections would have. */
const submitAll = async (
  intake: TransactionSubmitter,
  width: number,
  count: number,
  isLocal: boolean,
): Promise<string> => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let next = 0
  const client = async (): Promise<void> => {
    while (next < count) {
      const { rejection } = await intake.submit(raws[next++] as Uint8Array, isLocal)
      if (rejection) throw new Error(rejection.message)
    }
  }
  await Promise.all(Array.from({ length: width }, client))
  delay.disable()
  return `event loop delay p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, max ${(delay.max / 1e6).toFixed(1)} ms`
}

const onJournalError = (error: unknown): void => {
  throw error
}
const part = Math.min(total, 20_000)
/** Measures submissions to a pool of its own, after a warm-up with the same recovery. */
const measureSubmission = async (
  name: string,
  settings: Partial<RecoverySettings>,
  count: number,
  inFlight: number,
): Promise<void> => {
  const recovery = new SenderRecovery({ ...defaultRecoverySettings, ...settings })
  const createSubmitter = (): TransactionSubmitter =>
    new TransactionSubmitter({ pool: createPool(), recovery, journal: undefined, onJournalError })
  await submitAll(createSubmitter(), 64, 512, false)
  const submitter = createSubmitter()
  await timed(name, count, () => submitAll(submitter, inFlight, count, false))
  await recovery.close()
}

for (const threads of [1, 2])
  await measureSubmission(
    `submit, recovery on ${threads} thread(s), 1,000 under way`,
    { threads },
    part,
    1_000,
  )
for (const [maxInline, how] of ['on the thread', 'in place'].entries())
  await measureSubmission(`submit one after the other, recovered ${how}`, { maxInline }, 2_000, 1)

const folder = mkdtempSync(join(tmpdir(), 'pool-bench-'))
const journal = new Journal(folder)
const intake = new TransactionSubmitter({
  pool: createPool(),
  recovery: new SenderRecovery(),
  journal,
  onJournalError,
})
await timed('submit with recovery and journal, 1,000 under way', part, () =>
  submitAll(intake, 1_000, part, true),
)
await intake.close()
const reopened = new Journal(folder)
const again = new TransactionSubmitter({
  pool: createPool(),
  recovery: new SenderRecovery(),
  journal: reopened,
  onJournalError,
})
await timed('restore from the journal', part, async () => `${(await again.restore()).restored} restored`)
await again.close()
rmSync(folder, { recursive: true })
