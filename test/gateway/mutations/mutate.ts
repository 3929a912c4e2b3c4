import type { Random } from '../../support/random.ts'

/** Changes to a reply: of its text, of a member anywhere in it, of the bytes that a member holds. */

export type Json = unknown
type Path = readonly (string | number)[]

/** Where every member of a reply is, the reply itself included. */
export const pathsOf = (value: Json, path: Path = []): Path[] => {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Array.isArray(value)
    ? value.flatMap((one, at) => pathsOf(one, [...path, at]))
    : Object.entries(value).flatMap(([key, one]) => pathsOf(one, [...path, key]))
  return [path, ...inner]
}

const readAt = (value: Json, path: Path): Json => {
  let at = value
  for (const step of path) at = (at as Record<string | number, Json>)[step]
  return at
}

/** A copy with one member changed; `gone` takes it away. */
const gone = Symbol('gone')
const writeAt = (value: Json, [step, ...rest]: Path, changed: Json): Json => {
  if (step === undefined) return changed
  if (Array.isArray(value)) {
    const copy = [...value]
    const inner = writeAt(copy[step as number], rest, changed)
    if (inner === gone) copy.splice(step as number, 1)
    else copy[step as number] = inner
    return copy
  }
  const object = value as Record<string, Json>
  const inner = writeAt(object[step], rest, changed)
  if (inner === gone) {
    const { [step]: _, ...others } = object
    return others
  }
  return { ...object, [step]: inner }
}

const odd: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  '0',
  '-1',
  ' 1',
  '1e3',
  '0x10',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
  '1'.repeat(60),
  'not a number',
  [],
  {},
  [[[]]],
  { __proto__: null },
]

const isHex = /^(?:[0-9A-Fa-f]{2})+$/
const isBase64 = /^(?:[A-Za-z0-9+/]{4})+(?:==|=)?$|^(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,3}={1,2}$/

const flip = (bytes: Uint8Array, random: Random): Buffer => {
  const copy = Buffer.from(bytes)
  if (copy.length > 0) {
    const at = random.below(copy.length)
    copy.writeUInt8(copy.readUInt8(at) ^ (1 << random.below(8)), at)
  }
  return copy
}

/** Text with the same meaning in another encoding, or none in any. */
const respelled = (text: string, random: Random): string => {
  switch (random.below(8)) {
    case 0:
      return text.toLowerCase()
    case 1:
      return text.slice(0, -1)
    case 2:
      return `${text}\u{fffd}`
    case 3:
      return Buffer.from(text, 'hex').toString('base64')
    case 4:
      return Buffer.from(text, 'base64').toString('hex')
    case 5:
      return `0x${text}`
    case 6:
      return `${text.slice(0, 3)}\0${text.slice(3)}`
    default:
      return ` ${text} `
  }
}

/** The bytes behind the text: changed, shortened, doubled. */
const rebuilt = (text: string, random: Random): string => {
  const encoding = isHex.test(text) ? 'hex' : 'base64'
  const bytes = Buffer.from(text, encoding)
  const changed = [
    () => flip(bytes, random),
    () => bytes.subarray(0, random.below(bytes.length + 1)),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.concat([bytes, random.bytes(1 + random.below(8))]),
    () => bytes.fill(random.below(256), random.below(bytes.length + 1)),
  ]
  const done = random.pick(changed)().toString(encoding)
  return encoding === 'hex' ? done.toUpperCase() : done
}

const changedList = (list: readonly Json[], random: Random): Json[] => {
  const at = random.below(list.length + 1)
  const other = random.below(list.length + 1)
  const copy = [...list]
  switch (random.below(6)) {
    case 0:
      return copy.slice(0, at)
    case 1:
      return [...copy, ...copy]
    case 2:
      return copy.toReversed()
    case 3:
      return copy.toSpliced(at, 1)
    case 4:
      return copy.toSpliced(at, 0, ...copy.slice(other, other + 1))
    default: {
      const [one, two] = [copy[at], copy[other]]
      if (at < copy.length && other < copy.length) {
        copy[at] = two
        copy[other] = one
      }
      return copy
    }
  }
}

const changedObject = (value: Readonly<Record<string, Json>>, random: Random): Json => {
  const keys = Object.keys(value)
  if (keys.length === 0 || random.chance(0.3))
    return {
      ...value,
      [random.pick(['extra', 'constructor', 'height', 'code', 'toString'])]: random.pick(odd),
    }
  const key = random.pick(keys)
  if (random.chance(0.5)) {
    const { [key]: _, ...others } = value
    return others
  }
  return { ...value, [key]: value[random.pick(keys)] }
}

const changed = (value: Json, random: Random): Json => {
  if (random.chance(0.15)) return random.pick(odd)
  if (Array.isArray(value)) return changedList(value, random)
  if (typeof value === 'string') {
    if (value.length > 0 && isHex.test(value) && random.chance(0.6)) return rebuilt(value, random)
    if (isBase64.test(value) && random.chance(0.7)) return rebuilt(value, random)
    if (/^-?\d+$/.test(value) && random.chance(0.6))
      return String(BigInt(value) + BigInt(random.below(5) - 2))
    return respelled(value, random)
  }
  if (typeof value === 'number')
    return random.pick([value + 1, value - 1, -value, value + 0.5, String(value), 2 ** 32])
  if (typeof value === 'object' && value !== null) return changedObject(value as Record<string, Json>, random)
  return random.pick(odd)
}

/** Two members of the same kind in each other's place: hashes above all. */
const exchanged = (value: Json, paths: readonly Path[], random: Random): Json => {
  const one = pickPath(paths, random)
  const first = readAt(value, one)
  const alike = paths.filter((path) => {
    const other = readAt(value, path)
    return (
      typeof other === 'string' &&
      typeof first === 'string' &&
      other.length === first.length &&
      other !== first
    )
  })
  if (alike.length === 0) return changed(value, random)
  const two = random.pick(alike)
  return writeAt(writeAt(value, one, readAt(value, two)), two, first)
}

/** Members of which no hash speaks, and there are many of them: changed less often than their number has it. */
const isAside = (path: Path): boolean =>
  path.some((step) => typeof step === 'string' && (step.includes('events') || step === 'last_commit'))

const pickPath = (paths: readonly Path[], random: Random): Path => {
  let path = random.pick(paths)
  for (let tries = 0; tries < 8 && isAside(path) && !random.chance(0.1); tries++) path = random.pick(paths)
  return path
}

/** The text of a reply after one change (now and then a few). */
export const mutateReply = (value: Json, paths: readonly Path[], random: Random): string => {
  if (random.chance(0.1)) return flip(Buffer.from(JSON.stringify(value)), random).toString()
  if (random.chance(0.15)) return JSON.stringify(exchanged(value, paths, random))
  const path = pickPath(paths, random)
  if (path.length > 0 && random.chance(0.12)) return JSON.stringify(writeAt(value, path, gone))
  let done = writeAt(value, path, changed(readAt(value, path), random))
  while (random.chance(0.1)) done = changed(done, random)
  return JSON.stringify(done) ?? 'undefined'
}
