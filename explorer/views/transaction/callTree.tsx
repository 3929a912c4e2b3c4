import { useState } from 'preact/hooks'
import { describeCall, flatten, plain, revertText } from '../../abi/describe.ts'
import { abiVersion } from '../../abi/registry.ts'
import { formatPercent, group, toBig, toNumber } from '../../format/numbers.ts'
import { useCall } from '../../live/useCall.ts'
import { linkTo } from '../../page/route.ts'
import { Amount } from '../../parts/amount.tsx'
import { DecodedValues } from '../../parts/decoded.tsx'
import { Loaded } from '../../parts/layout.tsx'
import { AddressLink } from '../../parts/link.tsx'
import { Paged } from '../../parts/paged.tsx'
import { Raw } from '../../parts/raw.tsx'
import { SafeText, safeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { CallFrame, Hex } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'

const pageSize = 200
/** Levels that are drawn further in; deeper frames stand below one another. */
const maxIndent = 12

const reasonOf = (frame: CallFrame): string | undefined =>
  frame.error === undefined ? undefined : (revertText(frame.output, frame.to) ?? frame.revertReason)

/** The reason without the values of an error, which the details have. */
const shortReason = (frame: CallFrame): string =>
  (reasonOf(frame) ?? frame.error ?? '').replace(/^(\w+)\(.+\)$/s, '$1')

const Returned = ({ frame }: { readonly frame: CallFrame }) => {
  const reason = reasonOf(frame)
  return (
    <div class="frame-details">
      {describedOf(frame) !== undefined && (
        <DecodedValues described={describedOf(frame) as NonNullable<ReturnType<typeof describedOf>>} />
      )}
      {reason !== undefined && (
        <p>
          {texts.calls.reverted} <SafeText text={reason} max={1000} />
        </p>
      )}
      <h4>{texts.calls.input}</h4>
      <Raw value={frame.input} />
      {frame.output !== undefined && (
        <>
          <h4>{frame.error === undefined ? texts.calls.returned : texts.calls.returnedFailing}</h4>
          <Raw value={frame.output} />
        </>
      )}
    </div>
  )
}

const describedOf = ({ type, input, to }: CallFrame) =>
  type.startsWith('CREATE') ? undefined : describeCall(input, to)

const nameOf = (frame: CallFrame): string => {
  const described = describedOf(frame)
  if (described !== undefined)
    return `${described.item.name}(${described.values.map(({ value }) => plain(value)).join(', ')})`
  if (frame.type.startsWith('CREATE')) return texts.calls.newContract
  return frame.input === '0x' ? texts.calls.noData : frame.input.slice(0, 10)
}

interface FrameRowProps {
  readonly frame: CallFrame
  readonly depth: number
  readonly total: number
}

const FrameRow = ({ frame, depth, total }: FrameRowProps) => {
  const [isOpen, setOpen] = useState(false)
  const used = toNumber(frame.gasUsed)
  return (
    <li
      class={frame.error === undefined ? 'frame' : 'frame bad'}
      style={{ '--level': Math.min(depth, maxIndent) }}
    >
      <div class="frame-row">
        <button type="button" class="twist" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
          <span class="offscreen">{texts.calls.details}</span>
        </button>
        <span class="badge plain">{safeText(frame.type, 40)}</span>
        {frame.to !== undefined && <AddressLink address={frame.to} />}
        <span class="frame-name mono">
          <SafeText text={nameOf(frame)} max={120} />
        </span>
        {toBig(frame.value) > 0n && <Amount wei={frame.value} />}
        {frame.error !== undefined && (
          <span class="badge bad">
            ✕ <SafeText text={shortReason(frame)} max={48} />
          </span>
        )}
        <span class="grow" />
        <span class="num muted nowrap" title={texts.calls.gasHelp}>
          {texts.calls.gas(group(used), formatPercent(used, total))}
        </span>
      </div>
      {isOpen && <Returned frame={frame} />}
    </li>
  )
}

const Tree = ({ root, hash }: { readonly root: CallFrame; readonly hash: Hex }) => {
  useStore(abiVersion)
  const frames = flatten(root)
  return (
    <>
      <p class="muted">
        {texts.calls.about(frames.length, frames.reduce((most, { depth }) => Math.max(most, depth), 0) + 1)}{' '}
        <a href={linkTo('debug', [hash])}>{texts.calls.step}</a>
      </p>
      <Paged list={frames} first={pageSize} step={5 * pageSize}>
        {(shown) => (
          <ol class="tree">
            {shown.map(({ frame, depth }, index) => (
              <FrameRow key={index} frame={frame} depth={depth} total={toNumber(root.gasUsed)} />
            ))}
          </ol>
        )}
      </Paged>
    </>
  )
}

/** The calls inside a transaction, as the node traces them. */
export const CallTree = ({ hash }: { readonly hash: Hex }) => {
  const state = useCall(
    () => call<CallFrame>('debug_traceTransaction', hash, { tracer: 'callTracer' }),
    [hash],
  )
  return <Loaded state={state}>{(root) => <Tree root={root} hash={hash} />}</Loaded>
}
