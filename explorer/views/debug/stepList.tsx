import { useEffect, useRef } from 'preact/hooks'
import { group } from '../../format/numbers.ts'
import { safeText } from '../../parts/safeText.tsx'
import { texts } from '../../texts/texts.ts'
import type { Step } from './steps.ts'

/** Characters of the name of an opcode. */
const maxName = 40
/** Levels that are drawn further in. */
const maxIndent = 10

interface StepListProps {
  readonly steps: readonly Step[]
  readonly at: number
  readonly go: (step: number) => void
}

export const StepList = ({ steps, at, go }: StepListProps) => {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const { current } = list
    const shown = current?.querySelector<HTMLElement>('[aria-current]')
    if (current == null || shown == null) return
    const above = shown.offsetTop - current.scrollTop
    // Only the list is scrolled, and only if the step is out of sight.
    if (above < 0 || above + shown.offsetHeight > current.clientHeight)
      current.scrollTop = shown.offsetTop - current.clientHeight / 2
  }, [at, steps])
  return (
    <ol class="steps" ref={list} aria-label={texts.debug.steps}>
      {steps.map(({ step, op, pc, depth, gasCost, error }) => (
        <li key={step}>
          <button
            type="button"
            class={error === undefined ? '' : 'bad'}
            aria-current={step === at ? 'step' : undefined}
            onClick={() => go(step)}
          >
            <span class="num muted">{group(step)}</span>
            <span class="mono grow">
              {'·'.repeat(Math.min(depth - 1, maxIndent))}
              {safeText(op, maxName)}
            </span>
            <span class="num muted">{texts.debug.place(pc, group(gasCost))}</span>
          </button>
        </li>
      ))}
    </ol>
  )
}
