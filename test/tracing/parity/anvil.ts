import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { Delta, StateDiff, Trace } from './types.ts'

/** What anvil said about the chain of traces, kept, and how its words are read. */

/** Of each transaction: its traces and its changes of the state. */
export type AnvilTraces = Readonly<
  Record<string, { readonly trace: readonly Trace[]; readonly stateDiff: StateDiff }>
>

const path = fileURLToPath(new URL('fixtures/anvil.json.br', import.meta.url))

export const saveAnvil = (traces: AnvilTraces): void =>
  writeFileSync(path, brotliCompressSync(Buffer.from(JSON.stringify(traces))))

export const loadAnvil = (): AnvilTraces =>
  JSON.parse(brotliDecompressSync(readFileSync(path)).toString()) as AnvilTraces // as it was saved

/** The names of revm for which revm-inspectors has no word of Parity's. */
const words: Readonly<Record<string, string>> = {
  StackUnderflow: 'Stack underflow',
  OutOfOffset: 'Out of bounds',
  // An instruction of a later fork.
  NotActivated: 'Bad instruction',
  StateChangeDuringStaticCall: 'Mutable Call In Static Context',
  CallNotAllowedInsideStatic: 'Mutable Call In Static Context',
  CreateCollision: 'Contract address collision',
  CreateContractStartingWithEF: 'Invalid code',
  CreateContractSizeLimit: 'Out of gas',
  CreateInitCodeSizeLimit: 'Out of gas',
  CallTooDeep: 'Max call depth exceeded',
}

/**
 * Transactions of which anvil says something else, and why. An entry that is the same after all fails the test.
 */
export const exceptions: Readonly<Record<string, string>> = {
  '0x66649b791760e78def9bcfcf2f40966bd687a7fe21cd55dea4173aee9ba4b245':
    'a CREATE in a static frame that cannot be paid for either: geth looks at the gas first, revm at the frame',
}

/**
 * Returns traces in our words. Since Cancun revm does not tell what a destruction moves, so that anvil has zeros for it; those
 * are left out on both sides.
 */
export const normalizeTraces = (traces: readonly Trace[]): readonly unknown[] =>
  traces.map(({ error, type, action, ...trace }) => ({
    ...trace,
    type,
    ...(error !== undefined && { error: words[error] ?? error }),
    action: type === 'suicide' ? {} : action,
  }))

const none: Readonly<Record<string, string>> = { balance: '0x0', nonce: '0x0', code: '0x' }
const zeroWord = `0x${'00'.repeat(32)}`

/** A delegation (EIP-7702), or its end. revm-inspectors does not tell of them, since nothing is created. */
const isDelegation = (from: string, to: string): boolean =>
  [from, to].some((code) => /^0xef0100.{40}$/.test(code))

/**
 * Returns the two ends of every change as text. reth says of a plain account that comes to be that its balance changes from
 * zero, and of one that is created that all of it is new.
 */
export const normalizeDiff = (diff: StateDiff): readonly string[] => {
  const lines: string[] = []
  const add = (path: string, delta: Delta, missing: string): void => {
    if (delta === '=') return
    const from = '*' in delta ? delta['*'].from : '-' in delta ? delta['-'] : missing
    const to = '*' in delta ? delta['*'].to : '+' in delta ? delta['+'] : missing
    if (from !== to && !isDelegation(from, to)) lines.push(`${path} ${from} ${to}`)
  }
  for (const [address, { storage, ...members }] of Object.entries(diff)) {
    for (const [name, delta] of Object.entries(members))
      add(`${address} ${name}`, delta, none[name] as string)
    for (const [slot, delta] of Object.entries(storage)) add(`${address} ${slot}`, delta, zeroWord)
  }
  return lines.sort()
}
