import type { z } from 'zod'
import type { WireType } from '../../rpc/wireType.ts'
import { Null, True } from '../wire/basic.ts'

/** Returns the type of a result that says nothing but that the call is done; its handler returns nothing. */
const always = <T>({ schema }: WireType<T>, value: T): WireType<void> => ({
  schema: schema as unknown as z.ZodType<void>, // it describes the response, and decodes none
  encode: () => value,
})

export const Nothing = always(Null, null)
export const Done = always(True, true)
export const nothing = { name: 'nothing', type: Nothing }
