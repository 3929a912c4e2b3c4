import { describeError, flatten, revertText } from '../../abi/describe.ts'
import { abiVersion, notice } from '../../abi/registry.ts'
import { useCall } from '../../live/useCall.ts'
import { DecodedValues } from '../../parts/decoded.tsx'
import { Unproven } from '../../parts/proof.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { CallFrame, Hex } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'

/** The outermost call, with the stack in the source where the node knows it. */
interface TracedFailure extends CallFrame {
  readonly stackTrace?: { readonly lines: readonly string[] }
}

/** The data of a failure, from whichever namespace is served. */
const loadFailure = async (
  hash: Hex,
): Promise<{
  readonly data?: Hex
  readonly error?: string
  readonly at?: Hex
  readonly stack?: readonly string[]
}> => {
  const options = { tracer: 'callTracer', tracerConfig: { withStackTrace: true } }
  const frame = await call<TracedFailure>('debug_traceTransaction', hash, options).catch(() => undefined)
  if (frame === undefined) return { data: await call<Hex>('ots_getTransactionError', hash) }
  // The innermost frame with the same data is where it began.
  const origin = flatten(frame).findLast(
    (one) => one.frame.error !== undefined && one.frame.output === frame.output,
  )
  const at = origin?.frame.to ?? frame.to
  // The error may be one of a contract that is shown nowhere else.
  if (at !== undefined) notice(at)
  return {
    ...(frame.output !== undefined && { data: frame.output }),
    ...(frame.error !== undefined && { error: frame.error }),
    ...(at !== undefined && { at }),
    stack: frame.stackTrace?.lines ?? [],
  }
}

/** That it failed, and the reason if there is one, which the contract or the node chose. */
export const Reason = ({ text }: { readonly text: string | undefined }) => (
  <p>
    <strong>{text === undefined ? texts.transaction.failed : texts.transaction.failedFor}</strong>
    {text !== undefined && (
      <>
        {' '}
        <SafeText text={text} max={400} />
      </>
    )}
  </p>
)

/** Why a transaction failed, in the words of the contract where they are known. */
export const FailureReason = ({ hash, to }: { readonly hash: Hex; readonly to: Hex | null }) => {
  useStore(abiVersion)
  const state = useCall(() => loadFailure(hash), [hash])
  const { data, error, at = to, stack = [] } = state.data ?? {}
  const text = revertText(data, at)
  const described = data === undefined ? undefined : describeError(data, at)
  const isCustom =
    described !== undefined && described.item.name !== 'Error' && described.item.name !== 'Panic'
  return (
    <div class="notice bad" role="status">
      <Reason text={isCustom ? described.item.name : (text ?? error)} />
      <Unproven />
      {stack.map((line, number) => (
        <div class="mono break" key={`${number} ${line}`}>
          <SafeText text={line} max={400} />
        </div>
      ))}
      {isCustom && <DecodedValues described={described} />}
      {text === undefined && data !== undefined && data !== '0x' && (
        <p class="mono break">
          <SafeText text={data} max={500} />
        </p>
      )}
    </div>
  )
}
