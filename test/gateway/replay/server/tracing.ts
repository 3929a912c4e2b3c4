import { toHex, toQuantity } from '../../../../src/base/encoding/hex.ts'
import type { SignedTransaction } from '../block/signing.ts'
import type { SyntheticChain } from '../synthetic.ts'
import type { Fields } from '../wire.ts'

/** Traces of the model: one frame, no steps. */

interface TracedCall {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly data: Uint8Array
  readonly value: bigint
}

export const traceCall = (
  chain: SyntheticChain,
  call: TracedCall,
  config: Fields,
  height: number,
  gasLimit = 25_000_000n,
): unknown => {
  const { error, output, usedGas } = chain.world.call(call.to, call.data, height)
  const tracer = config.text(1)
  if (tracer === '')
    return {
      gas: Number(usedGas),
      failed: error !== '',
      returnValue: Buffer.from(output).toString('hex'),
      structLogs: [],
    }
  if (tracer === 'flatCallTracer') return [toFlatTrace(call, gasLimit, usedGas, output, error)]
  if (tracer !== 'callTracer') return {}
  return {
    type: call.to === undefined ? 'CREATE' : 'CALL',
    from: toHex(call.from),
    ...(call.to === undefined ? {} : { to: toHex(call.to) }),
    value: toQuantity(call.value),
    gas: toQuantity(gasLimit),
    gasUsed: toQuantity(usedGas),
    input: toHex(call.data),
    output: toHex(output),
    ...(error === '' ? {} : { error }),
  }
}

/** The one frame as geth's flatCallTracer lists it. */
const toFlatTrace = (
  { from, to, data, value }: TracedCall,
  gasLimit: bigint,
  usedGas: bigint,
  output: Uint8Array,
  error: string,
): unknown => {
  const gasUsed = toQuantity(usedGas)
  const common = { from: toHex(from), gas: toQuantity(gasLimit), value: toQuantity(value) }
  return {
    action:
      to === undefined
        ? { ...common, creationMethod: 'create', init: toHex(data) }
        : { ...common, callType: 'call', input: toHex(data), to: toHex(to) },
    ...(error === ''
      ? { result: to === undefined ? { code: toHex(output), gasUsed } : { gasUsed, output: toHex(output) } }
      : { error }),
    subtraces: 0,
    traceAddress: [],
    type: to === undefined ? 'create' : 'call',
  }
}

/** `height`: of the state before the transaction's block. */
export const traceTransaction = (
  chain: SyntheticChain,
  tx: SignedTransaction,
  config: Fields,
  height: number,
): unknown => traceCall(chain, tx, config, height, tx.gasLimit)
