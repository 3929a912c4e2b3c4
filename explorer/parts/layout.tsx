import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { CallState } from '../live/useCall.ts'
import { texts } from '../texts/texts.ts'
import { Problem } from './problem.tsx'
import { safeText } from './safeText.tsx'
import { showCurrent } from './showCurrent.ts'

interface PanelProps {
  readonly title?: ComponentChildren
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
  readonly class?: string
}

export const Panel = ({ title, aside, children, class: name }: PanelProps) => (
  <section class={`panel ${name ?? ''}`}>
    {title !== undefined && (
      <header class="panel-head">
        <h2>{title}</h2>
        {aside}
      </header>
    )}
    {children}
  </section>
)

interface HeadingProps {
  readonly kind: string
  readonly children?: ComponentChildren
  readonly aside?: ComponentChildren
}

/** The head of a view: what it shows, and what can be done with it. */
export const Heading = ({ kind, children, aside }: HeadingProps) => (
  <div class="heading">
    <h1>
      {kind}
      {children !== undefined && <span class="subject">{children}</span>}
    </h1>
    {aside !== undefined && <div class="actions">{aside}</div>}
  </div>
)

/** Facts as name and value; entries without a value are left out. */
export const Facts = ({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {rows
      .filter(([, value]) => value !== undefined && value !== null && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** An answer that takes longer is worth a word. */
const slowMs = 4000

/** What an answer of the node becomes, or that it is on its way, or why it does not come. */
export const Loaded = <T,>({
  state,
  children,
}: {
  readonly state: CallState<T>
  readonly children: (data: Exclude<T, undefined>) => ComponentChildren
}) => {
  // Sound, since the line before has looked.
  if (state.data !== undefined) return <>{children(state.data as Exclude<T, undefined>)}</>
  if (state.error !== undefined) return <Problem error={state.error} onRetry={state.reload} />
  return <Loading />
}

/** Says that something is on its way, and after a while that it takes long. */
export const Loading = () => {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p class="loading" role="status">
      {texts.loading} {isSlow && texts.slow}
    </p>
  )
}

export const Empty = ({ children }: { readonly children: ComponentChildren }) => (
  <p class="empty">{children}</p>
)

interface TabsProps {
  readonly label: string
  readonly tabs: readonly (readonly [string, ComponentChildren])[]
  readonly active: string
  readonly onSelect: (id: string) => void
  /** What the active tab shows. */
  readonly children: ComponentChildren
}

/** Tabs that the arrow keys go through. */
export const Tabs = ({ label, tabs, active, onSelect, children }: TabsProps) => {
  const own = useId()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => showCurrent(list.current, '[aria-selected="true"]'), [active])
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    event.stopPropagation()
    const at = tabs.findIndex(([id]) => id === active)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (next === undefined) return
    onSelect(next[0])
    list.current?.querySelector<HTMLElement>(`[data-tab="${next[0]}"]`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} ref={list}>
        {tabs.map(([id, text]) => (
          <button
            key={id}
            id={`${own}-${id}`}
            type="button"
            role="tab"
            data-tab={id}
            aria-selected={id === active}
            {...(id === active && { 'aria-controls': own })}
            tabIndex={id === active ? 0 : -1}
            onClick={() => onSelect(id)}
            onKeyDown={move}
          >
            {text}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={own} aria-labelledby={`${own}-${active}`}>
        {children}
      </div>
    </>
  )
}

/** Names the page after its view, for the history and for those who hear it. */
export const useTitle = (title: string): void =>
  useEffect(() => {
    document.title = `${safeText(title, 80)} · ${texts.title}`
  }, [title])
