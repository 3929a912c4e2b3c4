import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import '../../styles/debug.css'
import { isHash, shorten } from '../../format/hex.ts'
import { group } from '../../format/numbers.ts'
import { chainChanges } from '../../live/live.ts'
import { nodeFacts } from '../../live/node.ts'
import { useCall } from '../../live/useCall.ts'
import { linkTo, type Route, replaceLink } from '../../page/route.ts'
import { useKeys } from '../../page/useKeys.ts'
import { Empty, Heading, Loaded, useTitle } from '../../parts/layout.tsx'
import { TransactionLink } from '../../parts/link.tsx'
import { placesOf } from '../../sources/places.ts'
import type { SourcePlace, SourcePlaces } from '../../sources/sourceMap.ts'
import { compiledVersion } from '../../sources/version.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'
import { Debounce } from './debounce.ts'
import { JumpButtons, nextMark } from './jumps.tsx'
import { findNextLine } from './nextLine.ts'
import { SourceDrop, SourcePanel } from './sourcePanel.tsx'
import { StepList } from './stepList.tsx'
import { StepState } from './stepState.tsx'
import { PieceLoader, pieceOf, type Step, type Steps } from './steps.ts'

const loader = new PieceLoader()
// On a chain that went back a transaction may run again, and do something else.
chainChanges.subscribe(() => loader.clear())

/** How long the slider must rest before its step is loaded: on its way it passes many. */
const slideMs = 150

interface Source {
  readonly places: SourcePlaces
  /** Where the step is, or, in code that the compiler made by itself, the last step before it. */
  readonly place: SourcePlace | undefined
}

/** The source of a step; undefined if nobody gave it. */
const useSource = (hash: string, step: Step | undefined, piece: Steps): Source | undefined => {
  const version = useStore(compiledVersion)
  const isDev = useStore(nodeFacts, (facts) => facts?.isDev)
  const found = useCall(
    async () => ({ code: step?.code, places: step && (await placesOf(hash, step).catch(() => undefined)) }),
    [hash, step?.code, step?.code === null ? step.address : '', step?.depth, version, isDev],
  )
  const places = found.data?.code === step?.code ? found.data?.places : undefined
  if (step === undefined || places === undefined) return undefined
  const earlier = piece.steps.findLast(
    (one) => one.step <= step.step && one.depth === step.depth && places.at(one.pc) !== undefined,
  )
  return { places, place: earlier && places.at(earlier.pc) }
}

interface ControlsProps {
  readonly at: number
  readonly last: number
  readonly go: (step: number) => void
}

/** One step on or back, and a slider over all of them. */
const Controls = ({ at, last, go }: ControlsProps) => {
  const [slider, setSlider] = useState(at)
  useEffect(() => setSlider(at), [at])
  const latestGo = useRef(go)
  latestGo.current = go
  const slide = useMemo(() => new Debounce((step: number) => latestGo.current(step), slideMs), [])
  useEffect(() => () => slide.cancel(), [])
  useEffect(() => slide.cancel(), [at])
  return (
    <div class="row">
      <button type="button" class="button small" disabled={at === 0} onClick={() => go(at - 1)}>
        {texts.debug.back}
      </button>
      <button type="button" class="button small" disabled={at >= last} onClick={() => go(at + 1)}>
        {texts.debug.on}
      </button>
      <label class="range">
        <span class="num">
          {group(slider)} {texts.debug.of} {group(last)}
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
  )
}

interface StepperProps {
  readonly hash: string
  readonly at: number
  readonly piece: Steps
}

const Stepper = ({ hash, at, piece }: StepperProps) => {
  const last = piece.total - 1
  const isDev = useStore(nodeFacts, (facts) => facts?.isDev ?? false)
  const step = piece.steps.find((one) => one.step === at)
  const source = useSource(hash, step, piece)
  const go = (wanted: number): void => {
    const to = Math.max(0, Math.min(last, wanted))
    replaceLink(linkTo('debug', [hash], { step: to === 0 ? undefined : String(to) }))
  }
  const goToMark = (kind: 'leave' | 'store' | 'fail'): void => {
    const next = nextMark(piece.marks, kind, at)
    if (next !== undefined) go(next.step)
  }
  const nextLine = async (): Promise<void> => {
    const found = await findNextLine(loader, hash, piece, at).catch(() => undefined)
    if (found !== undefined) go(found)
  }
  useKeys(
    [
      { key: 'ArrowRight', text: texts.debug.keys.on, run: () => go(at + 1) },
      { key: 'ArrowLeft', text: texts.debug.keys.back, run: () => go(at - 1) },
      { key: 's', text: texts.debug.keys.line, run: () => void nextLine() },
      { key: 'n', text: texts.debug.keys.leave, run: () => goToMark('leave') },
      { key: 'w', text: texts.debug.keys.store, run: () => goToMark('store') },
      { key: 'f', text: texts.debug.keys.fail, run: () => goToMark('fail') },
    ],
    [at, piece],
  )
  return (
    <>
      <Controls at={at} last={last} go={go} />
      <JumpButtons
        piece={piece}
        at={at}
        go={go}
        nextLine={source === undefined ? undefined : () => void nextLine()}
      />
      <div class="split wide">
        <StepList steps={piece.steps} at={at} go={go} />
        <div>
          {source === undefined ? (
            <SourceDrop isDev={isDev} />
          ) : (
            <SourcePanel name={source.places.name} place={source.place} />
          )}
          {step === undefined ? <p class="loading">…</p> : <StepState step={step} piece={piece} go={go} />}
        </div>
      </div>
    </>
  )
}

/** Steps through a transaction; the steps come in pieces, so that one of a million is as light as one of ten. */
export const DebuggerView = ({ route }: { readonly route: Route }) => {
  const hash = route.args[0] ?? ''
  useTitle(`${texts.debug.title} ${shorten(hash)}`)
  const at = /^\d{1,9}$/.test(route.query.step ?? '') ? Number(route.query.step) : 0
  const [piece, setPiece] = useState(pieceOf(at))
  useEffect(() => setPiece(pieceOf(at)), [pieceOf(at)])
  const state = useCall(() => loader.load(hash, piece), [hash, piece])
  useEffect(() => () => loader.cancel(), [])
  return (
    <>
      <Heading kind={texts.debug.title}>{isHash(hash) && <TransactionLink hash={hash} />}</Heading>
      <Loaded state={state}>
        {(steps) =>
          steps.total === 0 ? (
            <Empty>{texts.debug.noCode}</Empty>
          ) : (
            <Stepper hash={hash} at={Math.min(at, steps.total - 1)} piece={steps} />
          )
        }
      </Loaded>
    </>
  )
}
