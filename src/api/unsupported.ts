import { unsupported } from '../rpc/errors.ts'

/** The handler of every method that is still to be written; a test lists them, and the list only shrinks. */
export const notImplemented = (): never => {
  throw unsupported('not yet: the part of the node that this method needs comes with a later version')
}

/** The handler of a method that this service will not have: says why, and what to use instead. */
export const notSupported = (why: string) => (): never => {
  throw unsupported(why)
}
