import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Debounce } from '../debounce.ts'
import { isHash, shorten } from '../format/hex.ts'
import { group } from '../format/numbers.ts'
import { Empty, Heading, Loaded, Panel, useTitle } from '../parts/layout.tsx'
import { AddressLink, TransactionLink } from '../parts/link.tsx'
import { SafeText } from '../parts/safeText.tsx'
import { linkTo, type Route, replaceLink } from '../route.ts'
import { useCall } from '../useCall.ts'
import { useKeys } from '../useKeys.ts'
import { type Mark, PieceLoader, pieceOf, pieceSize, type Step, type Steps } from './steps.ts'

const loader = new PieceLoader()

/** How long the slider has to rest before its step is loaded: on its way it passes many. */
const slideMs = 150

const kinds: Readonly<Record<Mark['kind'], string>> = {
  enter: 'call',
  leave: 'return',
  store: 'storage write',
  fail: 'failure',
}

const JumpButtons = ({
  piece: { marks, marksCut = [] },
  at,
  go,
}: {
  readonly piece: Steps
  readonly at: number
  readonly go: (step: number) => void
}) => (
  <div class="row">
    <span class="muted">Next</span>
    {(['enter', 'leave', 'store', 'fail'] as const).map((kind) => {
      const next = marks.find((mark) => mark.kind === kind && mark.step > at)
      return (
        <button
          key={kind}
          type="button"
          class="button small"
          disabled={next === undefined}
          onClick={() => next && go(next.step)}
        >
          {kinds[kind]}
        </button>
      )
    })}
    {marksCut.length > 0 && (
      <span class="muted">Too many to know all of: {marksCut.map((kind) => kinds[kind]).join(', ')}</span>
    )}
  </div>
)

const StepList = ({
  steps,
  at,
  go,
}: {
  readonly steps: readonly Step[]
  readonly at: number
  readonly go: (step: number) => void
}) => {
  useEffect(
    () => document.querySelector('.steps [aria-current]')?.scrollIntoView({ block: 'nearest' }),
    [at, steps],
  )
  return (
    <ol class="steps" aria-label="Steps">
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
              {'·'.repeat(Math.min(depth - 1, 10))}
              {op}
            </span>
            <span class="num muted">
              pc {pc} · {group(gasCost)} gas
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}

/** Memory in lines of 32 bytes, each with its place. */
const memoryText = ({ memory, memorySize }: Step): string => {
  const lines = memory.slice(2).match(/.{1,64}/g) ?? []
  const text = lines.map((line, index) => `${(32 * index).toString(16).padStart(4, '0')}  ${line}`).join('\n')
  return memory.length - 2 < 2 * memorySize ? `${text}\n… of ${group(memorySize)} bytes` : text
}

const StepState = ({ step }: { readonly step: Step }) => (
  <div class="state">
    <Panel
      title={<span class="mono">{step.op}</span>}
      aside={
        <span class="muted num">
          step {group(step.step)} · depth {step.depth} · {group(step.gas)} gas left
        </span>
      }
    >
      <p>
        In <AddressLink address={step.address} />
      </p>
      {step.error !== undefined && (
        <p class="field-note bad">
          <SafeText text={step.error} max={300} />
        </p>
      )}
      <h3>Stack</h3>
      {step.stack.length === 0 ? (
        <p class="muted">empty</p>
      ) : (
        <ol class="stack mono">
          {step.stack.toReversed().map((word, index) => (
            <li key={index}>
              <span class="muted">{index}</span> <span class="break">{word}</span>
            </li>
          ))}
        </ol>
      )}
      <h3>Memory</h3>
      {step.memorySize === 0 ? (
        <p class="muted">empty</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable with the keyboard
        <pre tabIndex={0}>{memoryText(step)}</pre>
      )}
    </Panel>
  </div>
)

const Stepper = ({
  hash,
  at,
  piece,
}: {
  readonly hash: string
  readonly at: number
  readonly piece: Steps
}) => {
  const last = piece.total - 1
  const [slider, setSlider] = useState(at)
  useEffect(() => setSlider(at), [at])
  const latestGo = useRef((_step: number): void => {})
  const slide = useMemo(() => new Debounce((step: number) => latestGo.current(step), slideMs), [])
  useEffect(() => () => slide.cancel(), [])
  const go = (step: number): void => {
    slide.cancel()
    const to = Math.max(0, Math.min(last, step))
    replaceLink(linkTo('debug', [hash], { step: to === 0 ? undefined : String(to) }))
  }
  latestGo.current = go
  useKeys(
    [
      { key: 'ArrowRight', text: 'Next step', run: () => go(at + 1) },
      { key: 'ArrowLeft', text: 'Previous step', run: () => go(at - 1) },
      {
        key: 'n',
        text: 'Past this frame',
        run: () => go(piece.marks.find((mark) => mark.kind === 'leave' && mark.step > at)?.step ?? last),
      },
      {
        key: 'f',
        text: 'Next failure',
        run: () => go(piece.marks.find((mark) => mark.kind === 'fail' && mark.step > at)?.step ?? at),
      },
    ],
    [at, piece],
  )
  const step = piece.steps.find((one) => one.step === at)
  return (
    <>
      <div class="row">
        <button type="button" class="button small" disabled={at === 0} onClick={() => go(at - 1)}>
          ← Step
        </button>
        <button type="button" class="button small" disabled={at >= last} onClick={() => go(at + 1)}>
          Step →
        </button>
        <label class="range">
          <span class="num">
            {group(slider)} of {group(last)}
          </span>
          <input
            type="range"
            min={0}
            max={last}
            value={slider}
            onInput={(event) => {
              const step = Number(event.currentTarget.value)
              setSlider(step)
              slide.push(step)
            }}
          />
        </label>
      </div>
      <JumpButtons piece={piece} at={at} go={go} />
      <div class="split wide">
        <StepList steps={piece.steps} at={at} go={go} />
        {step === undefined ? <p class="loading">…</p> : <StepState step={step} />}
      </div>
    </>
  )
}

/** Steps through a transaction; the steps come in pieces, so that one of a million is as light as one of ten. */
export const DebuggerView = ({ route }: { readonly route: Route }) => {
  const hash = route.args[0] ?? ''
  useTitle(`Debugger ${shorten(hash)}`)
  const at = /^\d{1,9}$/.test(route.query.step ?? '') ? Number(route.query.step) : 0
  const [piece, setPiece] = useState(pieceOf(at))
  useEffect(() => setPiece(pieceOf(at)), [pieceOf(at)])
  const state = useCall(() => loader.load(hash, piece), [hash, piece])
  useEffect(() => () => loader.cancel(), [])
  return (
    <>
      <Heading kind="Debugger">{isHash(hash) && <TransactionLink hash={hash} />}</Heading>
      <Loaded state={state}>
        {(steps) =>
          steps.total === 0 ? (
            <Empty>The transaction runs no code.</Empty>
          ) : (
            <Stepper hash={hash} at={Math.min(at, steps.total - 1)} piece={steps} />
          )
        }
      </Loaded>
      <p class="offscreen">Steps are loaded {pieceSize} at a time.</p>
    </>
  )
}
