import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'

/** JSON's own types, where a method takes or gives no more than that. */
export const Flag = plainType(z.boolean({ error: 'expected true or false' }))
export const Text = plainType(z.string({ error: 'expected a string' }))
export const Null = plainType(z.null())
export const False = plainType(z.literal(false))
export const True = plainType(z.literal(true))
/** Whatever JSON holds. */
export const AnyJson = plainType(z.unknown())
/** An object whose members are described in words only. */
export const describedObject = (description: string) =>
  plainType(z.record(z.string(), z.unknown()).meta({ description }))
