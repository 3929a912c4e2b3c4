import { type NodeValidator, parseValidators } from '../../comet/data/replies.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'

const perPage = 100
/** CometBFT's limit of validators. */
const maxValidators = 10_000
/** How long all pages of a set of validators may take. */
const timeoutMs = 60_000

/**
 * Fetches the validators of a height, page by page. A page that is not full and not the last one is rejected: else a node
 * could take its time for each of ten thousand.
 */
export const fetchValidators = async (
  ask: (paging: object, timeoutMs: number) => Promise<unknown>,
  height: number,
): Promise<readonly NodeValidator[]> => {
  const endsAt = performance.now() + timeoutMs
  const found: NodeValidator[] = []
  for (let page = 1; ; page++) {
    const paging = { page: String(page), per_page: String(perPage) }
    const { validators, total } = parseValidators(await ask(paging, Math.max(0, endsAt - performance.now())))
    found.push(...validators)
    if (found.length >= Math.min(total, maxValidators)) return found
    if (validators.length < perPage)
      throw new UpstreamError(
        `block ${height}: page ${page} has ${validators.length} of its ${total} validators, and is not the last one`,
      )
  }
}
