import { z } from 'zod'
import { toHex } from '../../base/encoding/hex.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { callFailed, errorCodes, RpcError } from '../../rpc/errors.ts'
import { optionalParam } from '../../rpc/method.ts'
import type { RawJson } from '../../rpc/rawJson.ts'
import { plainType } from '../../rpc/wireType.ts'
import { asJson } from '../answers/lookup.ts'
import { type CallEnd, runInTime } from './answerInTime.ts'

/** The default and the maximum timeout of geth, which EIP-7966 leaves open. */
const defaultWaitMs = 20_000
const maxReceiptWaitMs = 60_000

const milliseconds = z.int({ error: 'expected a whole number of milliseconds' }).min(0)

export const receiptTimeout = optionalParam(
  'timeout',
  plainType(milliseconds),
  'How long to wait, in milliseconds; 20000 when missing or 0, at most 60000.',
)

/**
 * Returns the receipt of a transaction that was sent, once a block includes it (EIP-7966). Throws an error with the hash if
 * none does in time, or no block comes for now.
 */
export const waitForReceipt = async (
  { pool, blocks }: Pick<Chain, 'pool' | 'blocks'>,
  hash: Uint8Array,
  timeout: number | undefined,
  end: CallEnd,
): Promise<RawJson> => {
  const waitMs = Math.min(timeout || defaultWaitMs, maxReceiptWaitMs)
  const startedAt = performance.now()
  const location = await runInTime(end, (ended) => pool.waitFor(hash, ended), waitMs)
  if (location === undefined)
    throw new RpcError(
      errorCodes.notYetIncluded,
      `the transaction was added to the pool but is not in a block after ${Math.round(performance.now() - startedAt)} ms`,
      toHex(hash),
    )
  const json = asJson(blocks.receiptJson(location))
  // On a development chain the operator can revert the head.
  if (json === undefined) throw callFailed(`the block of transaction ${toHex(hash)} is gone`)
  return json
}
