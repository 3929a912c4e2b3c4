import { texts } from '../../texts/texts.ts'
import type { Mark, Steps } from './steps.ts'

const kinds = ['enter', 'leave', 'store', 'fail'] as const

/** The next place of a kind after a step. */
export const nextMark = (marks: readonly Mark[], kind: Mark['kind'], at: number): Mark | undefined =>
  marks.find((mark) => mark.kind === kind && mark.step > at)

interface JumpButtonsProps {
  readonly piece: Steps
  readonly at: number
  readonly go: (step: number) => void
  /** Goes to the next line of the source; undefined where there is none. */
  readonly nextLine: (() => void) | undefined
}

/** To the next line, frame, write or failure, wherever that is in the transaction. */
export const JumpButtons = ({ piece: { marks, marksCut = [] }, at, go, nextLine }: JumpButtonsProps) => {
  const lastFailure = marks.findLast(({ kind }) => kind === 'fail')
  return (
    <div class="row jumps">
      <span class="muted">{texts.debug.next}</span>
      {nextLine !== undefined && (
        <button type="button" class="button small" onClick={nextLine}>
          {texts.debug.line}
        </button>
      )}
      {kinds.map((kind) => {
        const next = nextMark(marks, kind, at)
        return (
          <button
            key={kind}
            type="button"
            class="button small"
            disabled={next === undefined}
            onClick={() => next && go(next.step)}
          >
            {texts.debug.kinds[kind]}
          </button>
        )
      })}
      {lastFailure !== undefined && (
        <button
          type="button"
          class="button small"
          disabled={lastFailure.step === at}
          onClick={() => go(lastFailure.step)}
        >
          {texts.debug.lastFailure}
        </button>
      )}
      {marksCut.length > 0 && (
        <span class="muted">
          {texts.debug.tooMany} {marksCut.map((kind) => texts.debug.kinds[kind]).join(', ')}
        </span>
      )}
    </div>
  )
}
