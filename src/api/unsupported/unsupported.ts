import { unsupported } from '../../rpc/errors.ts'

/** The handler of every method that is not implemented yet. A test lists them, and the list only shrinks. */
export const notImplemented = (): never => {
  throw unsupported('not yet: the part of the node that this method needs comes with a later version')
}

/** Returns the handler of a method that this service will not have. Its error says why and what to use instead. */
export const notSupported = (why: string) => (): never => {
  throw unsupported(why)
}
