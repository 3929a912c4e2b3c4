import { configMembers } from '../config/chainConfig.ts'
import { GenesisError, type JsonObject } from '../config/gethJson.ts'
import { limitMembers } from '../config/limits.ts'

/** The members of a genesis file. Others are left alone, as geth does, unless they look like a mistake in one of these. */
const headerMembers: ReadonlySet<string> = new Set([
  ...[
    'config',
    'nonce',
    'timestamp',
    'extraData',
    'gasLimit',
    'difficulty',
    'mixHash',
    'mixhash',
    'coinbase',
  ],
  ...['alloc', 'number', 'gasUsed', 'parentHash', 'baseFeePerGas', 'excessBlobGas', 'blobGasUsed'],
])
const accountMembers: ReadonlySet<string> = new Set(['balance', 'nonce', 'code', 'storage'])
const perihelionMembers: ReadonlySet<string> = new Set(['validators', 'admin', 'timesMayRepeat', 'limits'])

/** Names that differ by their number alone: an unknown one is reported as such. */
const isNumberedFork = /^bpo\d+Time$/

/** Throws for a member that is one letter, or the case of letters, away from a known one: it would be ignored. */
const rejectMisspelt = (object: unknown, known: ReadonlySet<string>, prefix: string): void => {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return
  for (const name of Object.keys(object)) {
    if (known.has(name) || isNumberedFork.test(name)) continue
    const meant = [...known].find((one) => isNear(name.toLowerCase(), one.toLowerCase()))
    if (meant !== undefined) throw new GenesisError(`${prefix}${name} is not known: did you mean ${meant}?`)
  }
}

/** Throws for a member of a genesis file that looks like a misspelt one. */
export const rejectMisspeltMembers = (genesis: JsonObject): void => {
  const { config, alloc } = genesis
  rejectMisspelt(genesis, headerMembers, '')
  rejectMisspelt(config, configMembers, 'config.')
  const own = (config as JsonObject | undefined)?.perihelion as JsonObject | undefined
  rejectMisspelt(own, perihelionMembers, 'config.perihelion.')
  rejectMisspelt(own?.limits, limitMembers, 'config.perihelion.limits.')
  for (const [address, account] of Object.entries(alloc ?? {}))
    rejectMisspelt(account, accountMembers, `alloc.${address}.`)
}

/** Returns whether one text becomes the other by one letter more, less, other, or exchanged with the next. */
const isNear = (one: string, other: string): boolean => {
  if (Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const rest = (text: string, from: number): string => text.slice(start + from)
  return (
    rest(one, 1) === rest(other, 1) ||
    rest(one, 1) === rest(other, 0) ||
    rest(one, 0) === rest(other, 1) ||
    (one[start] === other[start + 1] && one[start + 1] === other[start] && rest(one, 2) === rest(other, 2))
  )
}
