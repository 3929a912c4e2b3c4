import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { normalizeDiff, normalizeTraces } from '../parity/anvil.ts'
import type { Replayed, StateDiff, Trace, VmTrace } from '../parity/types.ts'

/** What others say about the same transactions: anvil, and revm-inspectors as reth uses it. */

/** What is compared, each as text of a form in which all of them would say it. */
export type Said = Readonly<Record<'anvil' | 'stateDiff' | 'vmTrace', string>>

/** Of one transaction: its hash, digests of what was said, and why something else is right where it is. */
export interface RecordedTransaction {
  readonly hash: string
  readonly digests: Partial<Said>
  readonly exceptions?: Readonly<Partial<Said>>
}

export interface RecordedChain {
  readonly seed: number
  readonly versions: Readonly<Record<string, string>>
  readonly transactions: readonly RecordedTransaction[]
}

const path = fileURLToPath(new URL('fixtures/recorded.json.br', import.meta.url))

export const saveRecorded = (chain: RecordedChain): void =>
  writeFileSync(path, brotliCompressSync(Buffer.from(JSON.stringify(chain))))

export const loadRecorded = (): RecordedChain | undefined =>
  existsSync(path)
    ? (JSON.parse(brotliDecompressSync(readFileSync(path)).toString()) as RecordedChain) // as it was saved
    : undefined

/** JSON with the members of objects in the order of their names. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Both around the place where they part. */
export const partingPlace = (ours: string, theirs: string): string => {
  let at = 0
  while (at < ours.length && ours[at] === theirs[at]) at++
  const around = (text: string): string => text.slice(Math.max(0, at - 300), at + 300)
  return `  ours   ${around(ours)}\n  theirs ${around(theirs)}`
}

interface Traced {
  readonly trace: readonly Trace[]
  readonly stateDiff: StateDiff
}

/** Returns traces and changes in the words in which anvil is compared. */
export const anvilForm = ({ trace, stateDiff }: Traced): string =>
  canonical([normalizeTraces(trace), normalizeDiff(stateDiff)])

/**
 * Returns why anvil is right to say something else; undefined if it is not.
 */
export const explainAnvil = (ours: Traced, theirs: Traced): string | undefined => {
  if (!isDeepStrictEqual(normalizeDiff(ours.stateDiff), normalizeDiff(theirs.stateDiff))) return undefined
  const [own, other] = [normalizeTraces(ours.trace), normalizeTraces(theirs.trace)] as unknown as [
    readonly Trace[],
    readonly Trace[],
  ]
  if (own.length !== other.length) return undefined
  const isStaticFirst = own.every((trace, index) => {
    const their = other[index] as Trace
    if (isDeepStrictEqual(trace, their)) return true
    const words = [trace.error, their.error]
    return (
      isDeepStrictEqual(words, ['Out of gas', 'Mutable Call In Static Context']) &&
      isDeepStrictEqual({ ...trace, error: '' }, { ...their, error: '' })
    )
  })
  return isStaticFirst
    ? 'a write in a static frame that cannot be paid for either: geth looks at the gas first, revm at the frame'
    : undefined
}

/** What is compared of a transaction, as this program says it. */
export const ourForms = (replayed: Replayed): Said => ({
  anvil: anvilForm(replayed),
  ...inspectorForms(replayed),
})

/** Returns what revm-inspectors is compared in. */
export const inspectorForms = ({ stateDiff, vmTrace }: Replayed): Omit<Said, 'anvil'> => ({
  stateDiff: canonical(stateDiff),
  vmTrace: canonical(comparable(vmTrace)),
})

const callsOthers = /^(?:CALL|CALLCODE|DELEGATECALL|STATICCALL)$/

/**
 * Returns instructions as all tell them. geth, and so we, list an instruction that fails whatever the reason, and the STOP at the
 * end of code; revm leaves out those that it cannot decode. Precompiles have a frame in reth. The memory that a call may write
 * is told by Parity and Erigon, what it did write by reth; `idx` is Erigon's.
 */
const comparable = ({ code, ops }: VmTrace): { readonly code: string; readonly ops: readonly object[] } => ({
  code,
  ops: ops
    .filter(({ pc, op, ex }) => ex !== null && !(op === 'STOP' && 2 + 2 * pc >= code.length))
    .map(({ pc, op, cost, sub, ex }) => ({
      ...{ pc, op, cost, sub: sub && comparableSub(sub) },
      ...{ push: ex?.push, store: ex?.store, used: ex?.used },
      ...(!callsOthers.test(op) && { mem: ex?.mem }),
    })),
})

/** A frame of which nothing is left is the same as none. */
const comparableSub = (sub: VmTrace): object | null => {
  const { code, ops } = comparable(sub)
  return ops.length === 0 ? null : { code, ops }
}
