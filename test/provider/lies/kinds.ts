import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import { createReceipt, decodeReceipt, encodeReceipt } from '../../../src/chain/block/receipt.ts'
import type { Random } from '../../support/random.ts'
import { forgeLightBlock } from './forger.ts'
import { at, mutate, nudge, placesOf } from './mutate.ts'

/** What a lie is made of. */
interface Material {
  readonly method: string
  readonly result: unknown
  /** Results of the same method to other questions. */
  readonly others: readonly unknown[]
  readonly random: Random
}

/** Returns the result with a part of it replaced. */
const withPart = (result: unknown, path: readonly (string | number)[], part: unknown): unknown => {
  if (path.length === 0) return part
  const copy = structuredClone(result)
  const parent = at(copy, path.slice(0, -1)) as Record<string | number, unknown>
  parent[path.at(-1) as string | number] = part
  return copy
}

interface ReceiptsAnswer {
  readonly receipts?: readonly string[] | null
}

const withoutLog = ({ result, random }: Material): unknown => {
  const { receipts } = (result ?? {}) as ReceiptsAnswer
  const decoded = receipts?.map((one) => decodeReceipt(fromHex(one))) ?? []
  const withLogs = decoded.flatMap(({ logs }, index) => (logs.length > 0 ? [index] : []))
  if (withLogs.length === 0) return undefined
  const chosen = random.pick(withLogs)
  const changed = decoded.map((receipt, index) => {
    if (index !== chosen) return toHex(encodeReceipt(receipt))
    const logs = receipt.logs.toSpliced(random.below(receipt.logs.length), 1)
    return toHex(encodeReceipt(createReceipt({ ...receipt, logs })))
  })
  return { ...(result as object), receipts: changed }
}

const isLightBlock = ({ method }: Material): boolean => method === 'perihelion_lightBlock'

/** The kinds of lies, by name. One returns undefined where it does not apply. */
export const kinds: Readonly<Record<string, (material: Material) => unknown>> = {
  'a changed value': ({ result, random }) => mutate(result, random),
  'a part left out': ({ result, random }) => {
    const lists = placesOf(result).filter((path) => {
      const value = at(result, path)
      return Array.isArray(value) && value.length > 0
    })
    if (lists.length === 0) return undefined
    const path = random.pick(lists)
    const list = at(result, path) as readonly unknown[]
    return withPart(result, path, list.toSpliced(random.below(list.length), 1 + random.below(list.length)))
  },
  'the answer to another question': ({ others, random }) =>
    others.length === 0 ? undefined : random.pick(others),
  'a part of another answer': ({ result, others, random }) => {
    if (others.length === 0) return undefined
    const other = random.pick(others)
    const path = random.pick(placesOf(result))
    try {
      const part = at(other, path)
      return part === undefined ? undefined : withPart(result, path, part)
    } catch {
      return undefined
    }
  },
  'a log left out': withoutLog,
  'a forged commit': (material) =>
    isLightBlock(material) ? forgeLightBlock(material.result, material.random) : undefined,
  'another shape': ({ result, random }) =>
    random.pick([null, {}, [], '0x', 0, 'x', [result], { result }, nudge(result, random), true]),
}
