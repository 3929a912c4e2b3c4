/** Fields that two chains with the same transactions may have differently. */
const ownFields: ReadonlySet<string> = new Set([
  ...['blockHash', 'blockNumber', 'blockTimestamp', 'timestamp', 'effectiveGasPrice', 'gasPrice'],
])
/** Such fields of blocks: times, hashes, roots, numbers, what is left of proof of work. */
const ownBlockFields: ReadonlySet<string> = new Set([
  ...['hash', 'number', 'parentHash', 'stateRoot', 'miner', 'size', 'extraData', 'mixHash', 'nonce'],
  ...['difficulty', 'totalDifficulty', 'baseFeePerGas', 'gasLimit', 'parentBeaconBlockRoot', 'requestsHash'],
  ...['withdrawals', 'withdrawalsRoot', 'excessBlobGas', 'blobGasUsed'],
])

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns where two answers differ, as paths; at most a few. */
export const differencesOf = (ours: Json, theirs: Json, path = ''): string[] => {
  if (isObject(ours) && isObject(theirs)) {
    const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    const isBlock = Object.hasOwn(ours, 'parentHash')
    return names.flatMap((name) => {
      if (ownFields.has(name) || (isBlock && ownBlockFields.has(name))) return []
      const at = path === '' ? name : `${path}.${name}`
      // What is absent and what is null say the same.
      if ((ours[name] ?? null) === null && (theirs[name] ?? null) === null) return []
      if (!Object.hasOwn(theirs, name)) return [`${at} is only ours`]
      if (!Object.hasOwn(ours, name)) return [`${at} is only theirs`]
      return differencesOf(ours[name] as Json, theirs[name] as Json, at)
    })
  }
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) return [`${path}: ${ours.length} items to ${theirs.length}`]
    return [...new Set(ours.flatMap((one, index) => differencesOf(one, theirs[index] as Json, `${path}[]`)))]
  }
  const [a, b] = [ours, theirs].map((value) => (typeof value === 'string' ? value.toLowerCase() : value))
  return a === b ? [] : [`${path === '' ? 'the response' : path}: ${show(ours)} to ${show(theirs)}`]
}

const show = (value: Json): string => (JSON.stringify(value) ?? '').slice(0, 60)

export interface Answer {
  readonly result?: Json
  readonly error?: { readonly code: number; readonly message: string }
}

export interface Verdict {
  /** Empty if the responses say the same. */
  readonly text: string
  /** Whether the peer did something else: no result where we have one, or one of half the length. */
  readonly isVoid: boolean
}

const maxShown = 4

const join = (texts: readonly string[]): string =>
  texts.slice(0, maxShown).join('; ') + (texts.length > maxShown ? `; ${texts.length - maxShown} more` : '')

/** The first of those that are at one path: items of a list differ alike. */
const onePerPath = (texts: readonly string[]): string[] => {
  const byPath = new Map<string, string>()
  for (const text of texts) {
    const [path = ''] = text.split(':', 1)
    if (!byPath.has(path)) byPath.set(path, text)
  }
  return [...byPath.values()]
}

/** Compares two bodies: of a call, or of a batch. */
export const compareBodies = (ours: string, theirs: string): Verdict => {
  const [one, other] = [ours, theirs].map((text) => JSON.parse(text) as Answer | readonly Answer[])
  const [a, b] = [one, other].map((body) => (Array.isArray(body) ? body : [body]) as readonly Answer[])
  const failed = (b ?? []).find(({ error }, index) => error !== undefined && a?.[index]?.error === undefined)
  if (failed?.error !== undefined) return { text: `it answers "${failed.error.message}"`, isVoid: true }
  const texts = onePerPath(
    (a ?? []).flatMap(({ result }, index) => differencesOf(result ?? null, b?.[index]?.result ?? null)),
  )
  const isHalf = theirs.length * 2 < ours.length
  return { text: join(texts), isVoid: isHalf }
}
