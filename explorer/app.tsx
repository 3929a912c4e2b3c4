import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { connection, refusal } from './live/live.ts'
import { nodeFacts } from './live/node.ts'
import { moveRow } from './page/keyboard.ts'
import { go, linkTo, type Route, route } from './page/route.ts'
import { nextTheme, setTheme, theme } from './page/theme.ts'
import { useKeys } from './page/useKeys.ts'
import { Boundary } from './parts/boundary.tsx'
import { KeyHelp } from './parts/keyHelp.tsx'
import { lazy } from './parts/lazy.tsx'
import { ProofBar, ProofButton, UnprovenNote } from './parts/proof.tsx'
import { SafeText, safeText } from './parts/safeText.tsx'
import { SearchBox } from './parts/searchBox.tsx'
import { showCurrent } from './parts/showCurrent.ts'
import { useStore } from './state/store.ts'
import { texts } from './texts/texts.ts'
import { BlockView } from './views/block/block.tsx'
import { BlocksView } from './views/block/blocks.tsx'
import { NotFound } from './views/notFound.tsx'
import { Overview } from './views/overview/overview.tsx'
import { TransactionView } from './views/transaction/transaction.tsx'

interface ViewProps {
  readonly route: Route
}

/** The views by the first part of their link. Those that are rarely the first are loaded when they are needed. */
const views: Readonly<Record<string, ComponentType<ViewProps>>> = {
  '': Overview,
  blocks: BlocksView,
  block: BlockView,
  tx: TransactionView,
  address: lazy(() => import('./views/account/account.tsx').then((module) => module.AccountView)),
  logs: lazy(() => import('./views/logs.tsx').then((module) => module.LogsView)),
  pool: lazy(() => import('./views/pool.tsx').then((module) => module.PoolView)),
  validators: lazy(() => import('./views/validators.tsx').then((module) => module.ValidatorsView)),
  console: lazy(() => import('./views/console/console.tsx').then((module) => module.ConsoleView)),
  debug: lazy(() => import('./views/debug/debugger.tsx').then((module) => module.DebuggerView)),
  dev: lazy(() => import('./views/devTools/devTools.tsx').then((module) => module.DevToolsView)),
}

/** Views that nothing proves beside the endpoint's word. */
const unprovenViews: ReadonlySet<string> = new Set(['pool', 'validators', 'console', 'debug', 'dev'])

const navigation = [
  ['', texts.nav.home],
  ['blocks', texts.nav.blocks],
  ['pool', texts.nav.pool],
  ['logs', texts.nav.logs],
  ['validators', texts.nav.validators],
  ['console', texts.nav.console],
  ['dev', texts.nav.dev],
] as const

const ConnectionBadge = () => {
  const state = useStore(connection)
  const reason = useStore(refusal)
  const isRefused = state === 'polling' && reason !== undefined
  const help = isRefused ? `${texts.refusedHelp} ${safeText(reason, 300)}` : texts.connectionHelp[state]
  return (
    <span class={`connection ${state}`} role="status" title={help}>
      <span class="dot" aria-hidden="true" />
      <span class="connection-text">{texts.connection[state]}</span>
      {isRefused && (
        <>
          : <SafeText text={reason} max={300} />
        </>
      )}
    </span>
  )
}

const ThemeButton = () => {
  const current = useStore(theme)
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={texts.changeColours(texts.theme[current])}
      title={texts.colours(texts.theme[current])}
      onClick={() => setTheme(nextTheme())}
    >
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="8" cy="8" r="5.5" fill="none" stroke="currentColor" stroke-width="1.4" />
        {current !== 'light' && (
          <path
            d={
              current === 'dark'
                ? 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11z'
                : 'M8 2.5a5.5 5.5 0 0 1 0 11z'
            }
            fill="currentColor"
          />
        )}
      </svg>
    </button>
  )
}

const Header = ({ view, onHelp }: { readonly view: string; readonly onHelp: () => void }) => {
  const facts = useStore(nodeFacts)
  const nav = useRef<HTMLElement>(null)
  useEffect(() => showCurrent(nav.current, '[aria-current]'), [view, facts])
  return (
    <header class="top">
      <div class="bar">
        <a class="brand" href={linkTo('')}>
          <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
            <ellipse class="orbit" cx="16" cy="16" rx="14" ry="9" transform="rotate(-24 16 16)" />
            <circle class="sun" cx="10.5" cy="18" r="4.6" />
            <circle class="planet" cx="28.4" cy="9.4" r="2.6" />
          </svg>
          <span>{texts.title}</span>
          {facts !== undefined && <span class="chain num">{texts.chain(facts.chainId)}</span>}
        </a>
        <SearchBox />
        <div class="tools">
          <ConnectionBadge />
          <button
            type="button"
            class="icon-button"
            aria-label={texts.keys.title}
            title={texts.keys.hint}
            onClick={onHelp}
          >
            ?
          </button>
          {!facts?.isAlone && <ProofButton />}
          <ThemeButton />
        </div>
      </div>
      <nav aria-label={texts.nav.label} ref={nav}>
        {navigation
          .filter(([name]) => name !== 'dev' || facts?.isDev)
          .filter(([name]) => name !== 'validators' || !facts?.isAlone)
          .map(([name, text]) => (
            <a key={name} href={linkTo(name)} aria-current={name === view ? 'page' : undefined}>
              {text}
            </a>
          ))}
      </nav>
    </header>
  )
}

export const App = () => {
  const current = useStore(route)
  const [isHelpOpen, setHelpOpen] = useState(false)
  useKeys(
    [
      { key: '?', text: texts.keys.list, run: () => setHelpOpen(true) },
      { key: 'h', text: texts.nav.home, run: () => go(linkTo('')) },
      { key: 'b', text: texts.nav.blocks, run: () => go(linkTo('blocks')) },
      { key: 'l', text: texts.nav.logs, run: () => go(linkTo('logs')) },
      { key: 'j', text: texts.keys.nextRow, run: () => moveRow(1) },
      { key: 'k', text: texts.keys.previousRow, run: () => moveRow(-1) },
      { key: 't', text: texts.keys.colours, run: () => setTheme(nextTheme()) },
    ],
    [],
  )
  // Own entries only: the view is a text from the address.
  const View = Object.hasOwn(views, current.view) ? views[current.view] : undefined
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        {texts.skip}
      </button>
      <Header view={current.view} onHelp={() => setHelpOpen(true)} />
      <ProofBar />
      <main id="content" tabIndex={-1}>
        {unprovenViews.has(current.view) && <UnprovenNote />}
        {View === undefined ? (
          <NotFound />
        ) : (
          <Boundary key={`${current.view}/${current.args.join('/')}`}>
            <View route={current} />
          </Boundary>
        )}
      </main>
      {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
    </>
  )
}
