import { fromHex } from '../../base/encoding/hex.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { defaultTraceOptions } from '../../chain/port/traces.ts'
import type { Config } from '../../config/settings/settings.ts'

/** What a start left for later has this long, and requests that waited for it. */
const delayMs = 300

/**
 * A contract that calls itself 64 times, each time to return at once: `if (msg.data.length > 0) return; for (i = 64; i > 0;
 * i--) this.call(hex"00")`. It has no opcode that the first fork lacks.
 */
const code = fromHex('0x3615600657005b60405b60006000600160006000305af150600190038060095700')
const target = new Uint8Array(20).fill(0xee)
const latest: BlockRef = { kind: 'tag', tag: 'latest' }

/**
 * Whether calls and traces run once before a client asks: not on a chain for a test, which may never be asked, nor on a fork,
 * whose remote would be asked, nor where serving processes answer them.
 */
export const isWarmedUp = (
  config: Config,
  namespaces: readonly string[],
  { fork }: Pick<Chain, 'fork'>,
): boolean =>
  !config.ephemeral &&
  fork === undefined && // also of a home that was forked at an earlier start
  (config.jsonRpc.workers ?? 0) === 0 &&
  namespaces.includes('debug')

/**
 * Runs one small call and one trace of it some time after a start, when nobody may have asked yet, so that the first client
 * finds the thread of traces loaded and the functions of calls compiled (decision 0139). Returns a function that gives it up.
 */
export const warmUpLater = (chain: Chain): (() => void) => {
  const stopped = new AbortController()
  const timer = setTimeout(() => {
    // That it cannot be done, on a chain without a head or while the node stops, is nothing to tell.
    warmUp(chain, stopped.signal).catch(() => {})
  }, delayMs)
  timer.unref()
  return () => {
    clearTimeout(timer)
    stopped.abort()
  }
}

const warmUp = async ({ executor, traces }: Chain, signal: AbortSignal): Promise<void> => {
  const call = { request: { to: target }, stateOverrides: [{ address: target, code }] }
  const trace = await traces.call(call, latest, { ...defaultTraceOptions, tracer: 'callTracer' }, signal)
  trace.dispose()
  await executor.call(call, latest, signal)
  // Without overrides, as nearly all calls are, in the environment that is kept.
  await executor.call({ request: { to: target } }, latest, signal)
}
