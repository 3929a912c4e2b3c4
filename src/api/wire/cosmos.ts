import { z } from 'zod'
import { fromHex } from '../../base/encoding/hex.ts'
import { fromBech32 } from '../../chain/bech32.ts'
import { inputType, patternString, plainType } from '../../rpc/wireType.ts'

/** A native hash. CometBFT writes hashes in capitals without 0x; Ethereum's form is accepted too. */
export const NativeHash = inputType<Uint8Array>(
  patternString(/^(?:0x)?[0-9a-fA-F]{64}$/, 'a 32-byte hash: 64 hex digits, with 0x or without')
    .meta({ id: 'NativeHash', title: 'a hash of either kind' })
    .transform((digits) => fromHex(digits.length === 64 ? `0x${digits}` : digits)),
)

const nativeHashText = patternString(
  /^[0-9A-F]{64}$/,
  'a hash as CometBFT writes it: 64 hex digits in capitals',
)
export const NativeHashOrNull = plainType(z.union([nativeHashText, z.null()]))
const bareHashText = patternString(/^[0-9a-f]{64}$/, 'a hash without 0x: 64 hex digits')
export const BareHashOrNull = plainType(z.union([bareHashText, z.null()]))

const wantedAddress = 'a bech32 address with a right checksum'
const bech32Text = patternString(/^[\x21-\x7e]{8,150}$/, wantedAddress).meta({
  id: 'Bech32',
  title: 'a bech32 address',
})

/** A bech32 address, decoded to its bytes. */
export const Bech32 = inputType<Uint8Array>(
  bech32Text.transform((address, context) => {
    try {
      return fromBech32(address).bytes
    } catch {
      context.addIssue({ code: 'custom', message: `expected ${wantedAddress}` })
      return z.NEVER
    }
  }),
)
export const Bech32Text = plainType(bech32Text)

/** A value as CometBFT's RPC returns it, with 64-bit numbers as strings and bytes as base64. */
const nativeObject = (description: string) =>
  plainType(z.union([z.record(z.string(), z.unknown()).meta({ description }), z.null()]))
export const NativeBlock = nativeObject('The reply of CometBFT to `block`')
export const NativeResults = nativeObject('The reply of CometBFT to `block_results`')
export const NativeTransaction = nativeObject('The reply of CometBFT to `tx`')
