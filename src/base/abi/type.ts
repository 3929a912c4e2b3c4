/** A type of Solidity's ABI, taken apart. */
export type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'address' | 'bool' | 'string' | 'bytes' | 'function' }
  | { readonly kind: 'fixedBytes'; readonly size: number }
  | { readonly kind: 'array'; readonly item: AbiType; readonly length: number | undefined }
  | { readonly kind: 'tuple'; readonly fields: readonly AbiParameter[] }

export interface AbiParameter {
  readonly name: string
  readonly type: AbiType
  /** Whether an event has it as a topic. */
  readonly indexed: boolean
}

/** The type as a signature has it: `(address,uint256)[]`. */
export const typeName = (type: AbiType): string => {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'fixedBytes':
      return `bytes${type.size}`
    case 'array':
      return `${typeName(type.item)}[${type.length ?? ''}]`
    case 'tuple':
      return `(${type.fields.map((field) => typeName(field.type)).join(',')})`
    default:
      return type.kind
  }
}

/** Returns whether a value of the type has no fixed size, so that its place holds an offset. */
export const isDynamic = (type: AbiType): boolean => {
  if (type.kind === 'array') return type.length === undefined || isDynamic(type.item)
  if (type.kind === 'tuple') return type.fields.some((field) => isDynamic(field.type))
  return type.kind === 'string' || type.kind === 'bytes'
}

/** The bytes that a value takes where it stands. */
export const headSize = (type: AbiType): number => {
  if (isDynamic(type)) return 32
  if (type.kind === 'array') return (type.length ?? 0) * headSize(type.item)
  if (type.kind === 'tuple') return type.fields.reduce((sum, field) => sum + headSize(field.type), 0)
  return 32
}

/** The longest name of a type; each list of lists takes two characters of it. */
const maxTypeName = 100

/** Returns the type of a name without its tuples, such as `uint256[2][]`; undefined if there is none of this name. */
export const parseType = (text: string, fields?: readonly AbiParameter[]): AbiType | undefined => {
  if (text.length > maxTypeName) return undefined
  const [, inner, length] = /^(.*)\[(\d*)\]$/s.exec(text) ?? []
  if (inner !== undefined) {
    const item = parseType(inner, fields)
    return item && { kind: 'array', item, length: length === '' ? undefined : Number(length) }
  }
  if (text === 'tuple') return fields && { kind: 'tuple', fields }
  if (text === 'address' || text === 'bool' || text === 'string' || text === 'bytes' || text === 'function')
    return { kind: text }
  const [, kind, bits] = /^(uint|int)(\d*)$/.exec(text) ?? []
  if (kind === 'uint' || kind === 'int') {
    const size = bits === '' ? 256 : Number(bits)
    return size >= 8 && size <= 256 && size % 8 === 0 ? { kind, bits: size } : undefined
  }
  const [, size] = /^bytes(\d+)$/.exec(text) ?? []
  return size !== undefined && Number(size) >= 1 && Number(size) <= 32
    ? { kind: 'fixedBytes', size: Number(size) }
    : undefined
}
