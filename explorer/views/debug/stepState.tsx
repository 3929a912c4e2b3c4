import { group } from '../../format/numbers.ts'
import { Panel } from '../../parts/layout.tsx'
import { AddressLink, WordValue } from '../../parts/link.tsx'
import { SafeText, safeText } from '../../parts/safeText.tsx'
import { texts } from '../../texts/texts.ts'
import type { Step, Steps } from './steps.ts'
import { asWord, touchedSlots } from './storage.ts'

/** Slots that are shown; a transaction can write thousands. */
const maxSlots = 50

/** More than the node gives of the memory of a step. */
const maxMemoryText = 100_000

/** Memory in lines of 32 bytes, each with its place. */
const memoryText = ({ memory, memorySize }: Step): string => {
  const lines = memory.slice(2).match(/.{1,64}/g) ?? []
  const text = lines.map((line, index) => `${(32 * index).toString(16).padStart(4, '0')}  ${line}`).join('\n')
  return memory.length - 2 < 2 * memorySize ? `${text}\n${texts.debug.memoryCut(group(memorySize))}` : text
}

const Storage = ({
  step,
  piece,
  go,
}: {
  readonly step: Step
  readonly piece: Steps
  readonly go: (step: number) => void
}) => {
  const slots = touchedSlots(step.address, step.step, piece.marks, piece.steps)
  if (slots.length === 0) return <p class="muted">{texts.debug.noStorage}</p>
  return (
    <>
      <ul class="slots">
        {slots.slice(0, maxSlots).map(({ slot, value, step: at, isWritten }) => (
          <li key={slot}>
            <span class={isWritten ? 'badge wait' : 'badge plain'}>
              {isWritten ? texts.debug.written : texts.debug.read}
            </span>
            <WordValue word={asWord(slot)} />
            <span aria-hidden="true">→</span>
            <WordValue word={asWord(value)} />
            <span class="grow" />
            <button type="button" class="button small" onClick={() => go(at)}>
              {texts.debug.step} {group(at)}
            </button>
          </li>
        ))}
      </ul>
      {slots.length > maxSlots && <p class="muted">… {group(slots.length - maxSlots)}</p>}
      <p class="field-note">{texts.debug.storageNote}</p>
    </>
  )
}

interface StepStateProps {
  readonly step: Step
  readonly piece: Steps
  readonly go: (step: number) => void
}

/** Stack, memory and storage as they are before a step. */
export const StepState = ({ step, piece, go }: StepStateProps) => (
  <Panel
    class="state"
    title={<span class="mono">{safeText(step.op, 40)}</span>}
    aside={
      <span class="muted num">
        {texts.debug.step} {group(step.step)} · {texts.debug.depth} {step.depth} · {group(step.gas)}{' '}
        {texts.debug.gasLeft}
      </span>
    }
  >
    <p>
      {texts.debug.inside} <AddressLink address={step.address} />
      {step.code !== null && step.code !== step.address && (
        <>
          {' '}
          {texts.debug.withCodeOf} <AddressLink address={step.code} />
        </>
      )}
      {step.code === null && <span class="badge plain">{texts.debug.creation}</span>}
    </p>
    {step.error !== undefined && (
      <p class="field-note bad">
        <SafeText text={step.error} max={300} />
      </p>
    )}
    <h3>{texts.debug.stack}</h3>
    {step.stack.length === 0 ? (
      <p class="muted">{texts.debug.empty}</p>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable with the keyboard
      <ol class="stack mono" tabIndex={0} aria-label={texts.debug.stack}>
        {step.stack.toReversed().map((word, index) => (
          <li key={index}>
            <span class="muted">{index}</span> <span class="break">{safeText(word)}</span>
          </li>
        ))}
      </ol>
    )}
    <h3>{texts.debug.storage}</h3>
    <Storage step={step} piece={piece} go={go} />
    <h3>{texts.debug.memory}</h3>
    {step.memorySize === 0 ? (
      <p class="muted">{texts.debug.empty}</p>
    ) : (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
      <pre tabIndex={0}>{safeText(memoryText(step), maxMemoryText)}</pre>
    )}
  </Panel>
)
