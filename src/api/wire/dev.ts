import { z } from 'zod'
import { maxUint64, maxUint256 } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { decodedString, inputType, patternString, plainType, type WireType } from '../../rpc/wireType.ts'
import { Quantity, quantityText } from './quantity.ts'

/** The types of the dev methods, which take what anvil and Hardhat take. */

const wanted = 'a number: a whole number, a QUANTITY, or its decimal digits'

const asNumber = decodedString(patternString(/^(?:0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/, wanted), BigInt)

const wholeNumber = z
  .int({ error: `expected ${wanted}` })
  .min(0)
  .transform(BigInt)

/** Returns the schema of an integer from 0 to a maximum, as a JSON number, in hex or in decimal digits. */
const upTo = (max: bigint, about: string, expected = wanted) =>
  z
    .union([wholeNumber, asNumber], { error: `expected ${expected}` })
    .refine((value) => value <= max, { error: `expected ${about}` })
    .meta({ title: 'number or QUANTITY', description: about })

/** A number of at most 256 bits. */
export const DevNumber: WireType<bigint> = inputType(upTo(maxUint256, 'a number of at most 256 bits'))

/** A number of at most 256 bits as Hardhat takes it: it rejects decimal text. */
export const HardhatNumber: WireType<bigint> = inputType(
  z
    .union([wholeNumber, Quantity.schema], { error: 'expected a whole number or a QUANTITY' })
    .meta({ title: 'number or QUANTITY', description: 'a number of at most 256 bits' }),
)

/** A number of at most 64 bits: nonces and gas. */
export const DevUint64: WireType<bigint> = inputType(upTo(maxUint64, 'a number of at most 64 bits'))

/** Returns the schema of a number that a JSON number is exact for. */
const safeInteger = (expected?: string) =>
  upTo(BigInt(Number.MAX_SAFE_INTEGER), 'a number below 2^53', expected).transform(Number)
const safe = safeInteger()

/** Times, counts and heights. */
export const DevInteger: WireType<number> = inputType(safe)

/** One number of seconds. */
export const DevSeconds: WireType<number> = inputType(
  safeInteger('one number of seconds, not a range [min, max] of milliseconds'),
)

/** A word of 32 bytes, which may be written shorter, or as a number. */
export const DevWord: WireType<Uint8Array> = inputType(
  z
    .union(
      [
        decodedString(patternString(/^0x[0-9a-fA-F]{0,64}$/, '0x and at most 64 hex digits'), (text) =>
          fromHex(`0x${text.slice(2).padStart(64, '0')}`),
        ),
        z
          .int()
          .min(0)
          .transform((value) => fromHex(`0x${value.toString(16).padStart(64, '0')}`)),
      ],
      { error: 'expected 32 bytes: 0x and at most 64 hex digits, or a whole number' },
    )
    .meta({ title: 'word' }),
)

/** What `evm_mine` takes: the time of the block, or that and how many blocks are made. */
export const MineOptions = inputType(
  z
    .union(
      [
        safe.transform((timestamp) => ({ timestamp, blocks: undefined })),
        z
          .object({ timestamp: safe.nullish(), blocks: safe.nullish() })
          .transform(({ timestamp, blocks }) => ({
            timestamp: timestamp ?? undefined,
            blocks: blocks ?? undefined,
          })),
      ],
      { error: 'expected a time, or an object with timestamp and blocks' },
    )
    .meta({ title: 'mine options' }),
)

/** What a client wants a chain to be reset to. */
export interface ResetRequest {
  /** Whether it names forking at all. */
  readonly forking: boolean
  readonly url: string | undefined
  readonly block: number | undefined
}

const remote = z
  .object({
    jsonRpcUrl: z.string({ error: 'expected a URL' }).nullish(),
    blockNumber: safe.nullish(),
  })
  .meta({ title: 'remote', description: 'The URL of a remote chain, and the number of a block' })

/** What `anvil_reset` and `hardhat_reset` take: a remote chain to fork; viem names null where its user gave nothing. */
export const ResetOptions: WireType<ResetRequest> = inputType(
  z
    .object({ forking: remote.nullish() })
    .extend(remote.shape)
    .transform(({ forking, ...direct }): ResetRequest => {
      const { jsonRpcUrl, blockNumber } = forking ?? direct
      const isNamed = forking != null || jsonRpcUrl != null || blockNumber != null
      return { forking: isNamed, url: jsonRpcUrl ?? undefined, block: blockNumber ?? undefined }
    })
    .meta({ title: 'reset options', description: 'The remote chain to fork, if any' }),
)

/** A JSON number in a result, where anvil has one. */
export const PlainNumber = plainType(z.number())
export const PlainNumberOrNull = plainType(z.number().nullable())
export const QuantityText = plainType(quantityText)
