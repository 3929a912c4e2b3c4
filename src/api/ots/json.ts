/** A stored object, whose members are those of the wire. */
export type JsonMembers = Readonly<Record<string, unknown>>

/** Returns the object of a row that the store wrote. */
export const parseRow = (bytes: Uint8Array): JsonMembers =>
  JSON.parse(Buffer.from(bytes).toString()) as JsonMembers // the store writes objects
