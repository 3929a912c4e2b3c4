import { type AbiParameter, type AbiType, typeName } from './type.ts'

/** A function, an event or an error of a contract. */
export interface AbiItem {
  readonly kind: 'function' | 'event' | 'error' | 'constructor'
  readonly name: string
  readonly inputs: readonly AbiParameter[]
  readonly outputs: readonly AbiParameter[]
  readonly mutability: 'view' | 'nonpayable' | 'payable'
}

export const signatureOf = ({ name, inputs }: AbiItem): string =>
  `${name}(${inputs.map((input) => typeName(input.type)).join(',')})`

/** The item in one line, with names: `transfer(address to, uint256 amount)`. */
export const describeItem = ({ name, inputs }: AbiItem): string =>
  `${name}(${inputs.map((input) => `${typeName(input.type)} ${input.name}`.trim()).join(', ')})`

/** A parameter as compilers write it. */
type JsonParameter = {
  readonly name: string
  readonly type: string
  readonly indexed: boolean
  readonly components?: JsonParameter[]
}

const fieldsOf = (type: AbiType): readonly AbiParameter[] | undefined =>
  type.kind === 'tuple' ? type.fields : type.kind === 'array' ? fieldsOf(type.item) : undefined

const parameterJson = ({ name, type, indexed }: AbiParameter): JsonParameter => {
  const fields = fieldsOf(type)
  const components = fields?.map(parameterJson)
  const text = components === undefined ? typeName(type) : `tuple${arrayPart(type)}`
  return { name, type: text, indexed, ...(components === undefined ? {} : { components }) }
}

/** The brackets behind the type of an array: `[2][]`. */
const arrayPart = (type: AbiType): string =>
  type.kind === 'array' ? `${arrayPart(type.item)}[${type.length ?? ''}]` : ''

/** Returns an event as compilers write it. */
export const abiJson = ({ name, inputs }: AbiItem) => ({
  type: 'event',
  name,
  inputs: inputs.map(parameterJson),
})
