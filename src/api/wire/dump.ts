import { z } from 'zod'
import { inputType, plainType, type WireType } from '../../rpc/wireType.ts'
import { addressText, dataText, hashText, word32Text } from './data.ts'

const trieKeyWanted = 'a trie key: 0x and at most 64 hex digits, or 32 bytes in base64'

const padded = (bytes: Uint8Array): Uint8Array => {
  const key = new Uint8Array(32)
  key.set(bytes)
  return key
}

/**
 * The first bytes of the hashed key at which a walk over the trie starts. `next` is hex; until 1.16 geth had it in base64,
 * which is accepted too.
 */
export const TrieKey: WireType<Uint8Array> = inputType(
  z
    .union(
      [
        z
          .string()
          .regex(/^0x(?:[0-9a-fA-F]{2}){0,32}$/)
          .transform((given) => padded(Buffer.from(given.slice(2), 'hex'))),
        z
          .string()
          .regex(/^[A-Za-z0-9+/]{43}=$/)
          .transform((given) => padded(Buffer.from(given, 'base64'))),
      ],
      { error: `expected ${trieKeyWanted}` },
    )
    .meta({ title: 'trie key', description: trieKeyWanted }),
)

const account = z.object({
  balance: z.string().describe('Wei in decimal'),
  nonce: z.int().min(0),
  root: hashText.describe('Of its storage'),
  codeHash: hashText,
  code: dataText.optional(),
  storage: z.record(word32Text, z.string()).optional().describe('Slot to value in hex without 0x'),
  address: addressText,
  key: hashText.describe('The hash of the address'),
})

/** A dump in geth's format. */
const dump = z.object({
  root: z.string().describe('The state root in hex without 0x'),
  accounts: z.record(addressText, account),
  next: hashText.optional().describe('Where to go on; missing at the end'),
})

export type DumpAccount = z.output<typeof account>

export const StateDump = plainType(dump.meta({ id: 'StateDump', title: 'state dump' }))

export const StorageRange = plainType(
  z
    .object({
      storage: z
        .record(hashText, z.object({ key: word32Text, value: word32Text }))
        .describe('By the hash of the slot'),
      nextKey: z.union([hashText, z.null()]).describe('Where to go on; null at the end'),
    })
    .meta({ id: 'StorageRange', title: 'storage range' }),
)
