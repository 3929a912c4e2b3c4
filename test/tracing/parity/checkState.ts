import type { AccountDiff, Delta, PrestateAccount, PrestateDiff, StateDiff } from './types.ts'

/** Checks Parity's changes of the state against geth's prestate tracer, and against the states around a block. */

interface Ends {
  /** The value before; undefined if there was no account. */
  readonly from: string | undefined
  readonly to: string | undefined
}

/** Returns the two ends of a difference; undefined if nothing changed. */
export const endsOf = (delta: Delta): Ends | undefined => {
  if (delta === '=') return undefined
  if ('+' in delta) return { from: undefined, to: delta['+'] }
  if ('-' in delta) return { from: delta['-'], to: undefined }
  return delta['*']
}

const zeroWord = `0x${'00'.repeat(32)}`

/** Returns an account of a prestate with what it leaves out. */
const complete = (account: PrestateAccount | undefined) => ({
  balance: account?.balance ?? '0x0',
  nonce: `0x${(account?.nonce ?? 0).toString(16)}`,
  code: account?.code ?? '0x',
})

const checkAccount = (
  address: string,
  diff: AccountDiff,
  pre: PrestateAccount | undefined,
  post: PrestateAccount | undefined,
): string[] => {
  const wrong: string[] = []
  const before = complete(pre)
  for (const name of ['balance', 'nonce', 'code'] as const) {
    const ends = endsOf(diff[name])
    const given = post?.[name]
    const after = given === undefined ? undefined : complete(post)[name]
    if (ends === undefined) {
      if (after !== undefined && after !== before[name])
        wrong.push(`${name} of ${address} is said to be the same, but becomes ${after}`)
      continue
    }
    const none = name === 'code' ? '0x' : '0x0'
    if ((ends.from ?? none) !== before[name])
      wrong.push(`${name} of ${address} was ${before[name]}, not ${ends.from}`)
    if (ends.to !== undefined && ends.to !== (after ?? (post === undefined ? none : before[name])))
      wrong.push(`${name} of ${address} becomes ${after}, not ${ends.to}`)
  }
  const slots = new Set([...Object.keys(diff.storage), ...Object.keys(post?.storage ?? {})])
  for (const slot of slots) {
    const ends = endsOf(diff.storage[slot] ?? '=')
    const [from, to] = [pre?.storage?.[slot] ?? zeroWord, post?.storage?.[slot] ?? zeroWord]
    if ((ends?.from ?? zeroWord) !== from || (ends?.to ?? zeroWord) !== to)
      wrong.push(`slot ${slot} of ${address}: ${JSON.stringify(ends)} is not ${from} to ${to}`)
  }
  return wrong
}

export const checkPrestate = (diff: StateDiff, { pre, post }: PrestateDiff): string[] => {
  // geth lists missing accounts that were read as well, with a code hash of zeros and nothing else.
  const wrong = Object.entries(post)
    .filter(([address, { balance, nonce, code, storage }]) => {
      const isChanged = [balance, nonce, code, storage].some((member) => member !== undefined)
      return isChanged && diff[address] === undefined
    })
    .map(([address]) => `${address} changes, and is not told`)
  for (const [address, account] of Object.entries(diff))
    wrong.push(...checkAccount(address, account, pre[address], post[address]))
  return wrong
}

/** The first and the last value of what the transactions of a block changed, by the name of the place. */
export type BlockChanges = ReadonlyMap<string, Ends>

/** Joins the changes of a block's transactions; each has to go on where the one before ended. */
export const joinChanges = (diffs: readonly StateDiff[]): { changes: BlockChanges; wrong: string[] } => {
  const changes = new Map<string, Ends>()
  const wrong: string[] = []
  const add = (place: string, delta: Delta): void => {
    const ends = endsOf(delta)
    if (ends === undefined) return
    const before = changes.get(place)
    if (before !== undefined && before.to !== ends.from)
      wrong.push(`${place} was left at ${before.to} and found at ${ends.from}`)
    changes.set(place, { from: before === undefined ? ends.from : before.from, to: ends.to })
  }
  for (const diff of diffs)
    for (const [address, { balance, nonce, code, storage }] of Object.entries(diff)) {
      add(`${address} balance`, balance)
      add(`${address} nonce`, nonce)
      add(`${address} code`, code)
      for (const [slot, delta] of Object.entries(storage)) add(`${address} ${slot}`, delta)
    }
  return { changes, wrong }
}
