import { readVarint, StrictFields } from '../../base/encoding/protobuf/protoReader.ts'

/** Thrown for bytes that are not a proof, or that prove something else. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
}

const toProofError = (why: string): ProofError => new ProofError(why)

/** Reads an integer of up to 49 bits at a place. Returns it with the place behind it. */
export const readProofNumber = (bytes: Uint8Array, from: number): readonly [value: number, end: number] =>
  readVarint(bytes, from, toProofError)

/** The fields of a message of a proof. Throws a `ProofError` for bytes that are not a message or have too many fields. */
export class ProofFields extends StrictFields {
  constructor(message: Uint8Array, maxFields: number) {
    super(message, maxFields, toProofError)
  }
}
