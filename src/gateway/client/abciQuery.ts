import { base64Of, int64Of, listOf, objectOf, textOf } from '../parse/json.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import type { ProvenValue } from './nativeQueries.ts'
import { fromQueryCode } from './queryFaults.ts'

/** Queries of the application through CometBFT. */

const maxValueBytes = 256 * 1024 * 1024
const maxLog = 1024 * 1024

export const abciQueryParams = (
  path: string,
  data: Uint8Array,
  height: number | undefined,
  prove: boolean,
): object => ({
  path,
  data: Buffer.from(data).toString('hex'),
  height: String(height ?? 0),
  prove,
})

/** Throws what the application said instead of an answer. */
export const parseAbciQuery = (reply: unknown, height: number | undefined): ProvenValue => {
  const response = objectOf(objectOf(reply, 'abci_query').response, 'response')
  if (typeof response.code !== 'number') throw new UpstreamFault('the code of a query is no number')
  if (response.code !== 0) throw fromQueryCode(textOf(response.log ?? '', 'log', maxLog))
  const answered = Number(int64Of(response.height ?? '0', 'height', 0n))
  // Some modules leave the height of their answers at 0.
  if (height !== undefined && answered !== 0 && answered !== height)
    throw new UpstreamFault(`asked for height ${height}, the answer is of ${answered}`)
  const proof = response.proofOps ?? response.proof_ops
  const operations = proof === null || proof === undefined ? [] : objectOf(proof, 'proofOps').ops
  return {
    value: base64Of(response.value, 'value', maxValueBytes),
    height: answered,
    operations: listOf(operations, 'ops', 16).map((value) => {
      const operation = objectOf(value, 'op')
      return {
        type: textOf(operation.type, 'type of op', 100),
        key: base64Of(operation.key, 'key of op', maxLog),
        data: base64Of(operation.data, 'data of op', maxValueBytes),
      }
    }),
  }
}
