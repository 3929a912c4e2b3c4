import { z } from 'zod'
import { plain } from '../../rpc/wire.ts'

/** JSON's own types, where a method takes or gives no more than that. */
export const Flag = plain(z.boolean({ error: 'expected true or false' }))
export const Text = plain(z.string({ error: 'expected a string' }))
export const Nothing = plain(z.null())
export const False = plain(z.literal(false))
export const True = plain(z.literal(true))
/** Whatever JSON holds. */
export const Anything = plain(z.unknown())
/** An object whose members are described in words only. */
export const anObject = (description: string) =>
  plain(z.record(z.string(), z.unknown()).meta({ description }))
