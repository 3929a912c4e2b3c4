import { harmful, printableJson } from '../../../src/base/encoding/printable.ts'
import { call } from '../../rpc/client.ts'
import { texts } from '../../texts/texts.ts'

/** A schema of JSON, as far as the forms read it. */
export interface Schema {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly pattern?: string
}

export interface MethodParameter {
  readonly name: string
  readonly summary?: string
  readonly required?: boolean
  readonly schema: Schema
}

export interface MethodDescription {
  readonly name: string
  readonly summary?: string
  readonly params: readonly MethodParameter[]
  readonly result?: { readonly name: string; readonly schema: Schema }
  readonly examples?: readonly {
    readonly name: string
    readonly params: readonly { readonly name: string; readonly value: unknown }[]
  }[]
  readonly 'x-access'?: string
}

interface OpenRpcDocument {
  readonly methods: readonly MethodDescription[]
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

let document: Promise<OpenRpcDocument> | undefined

/** The description of every method that this node serves. */
export const loadDocument = (): Promise<OpenRpcDocument> => {
  document ??= call<OpenRpcDocument>('rpc.discover')
  document.catch(() => {
    document = undefined
  })
  return document
}

/** What a parameter must be, in a few words. */
export const describeSchema = (schema: Schema, document: OpenRpcDocument): string => {
  const target =
    schema.$ref === undefined
      ? schema
      : (document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  if (target.description !== undefined) return target.description
  if (target.title !== undefined) return target.title
  if (target.enum !== undefined) return target.enum.map(String).join(', ')
  if (target.anyOf !== undefined)
    return target.anyOf.map((one) => describeSchema(one, document)).join(texts.console.or)
  return String(target.type ?? texts.console.anyJson)
}

/** The value of what was typed: JSON where it is some, else the text itself. */
export const readValue = (text: string): unknown => {
  const trimmed = text.trim()
  if (/^(?:[[{"]|true$|false$|null$|-?\d+(?:\.\d+)?$)/.test(trimmed)) return JSON.parse(trimmed)
  return trimmed
}

/** A value of an example as it would be typed. What the field would not show as it is stands there as an escape of JSON. */
export const showValue = (value: unknown): string =>
  typeof value === 'string' && value.search(harmful) === -1 ? value : printableJson(JSON.stringify(value))
