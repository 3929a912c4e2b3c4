import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'

/** Types that are the same in JSON. */
export const Flag = plainType(z.boolean({ error: 'expected true or false' }))
export const Text = plainType(z.string({ error: 'expected a string' }))
export const Null = plainType(z.null())
export const False = plainType(z.literal(false))
export const True = plainType(z.literal(true))
/** Any JSON value. */
export const AnyJson = plainType(z.unknown())
/** An object without a schema of its members. */
export const describedObject = (description: string) =>
  plainType(z.record(z.string(), z.unknown()).meta({ description }))
