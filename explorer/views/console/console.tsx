import { useEffect, useRef, useState } from 'preact/hooks'
import { useCall } from '../../live/useCall.ts'
import { linkTo, type Route } from '../../page/route.ts'
import { Heading, Loaded, useTitle } from '../../parts/layout.tsx'
import { SafeText, safeText } from '../../parts/safeText.tsx'
import { namespaceOf } from '../../rpc/failure.ts'
import { texts } from '../../texts/texts.ts'
import { loadDocument, type MethodDescription } from './document.ts'
import { MethodForm } from './methodForm.tsx'

interface MethodListProps {
  readonly methods: readonly MethodDescription[]
  readonly current: string
}

/** Characters of a name that are shown: what a node serves is named by its word alone. */
const maxName = 80

const isInside = (
  { offsetTop, offsetHeight }: HTMLElement,
  { scrollTop, clientHeight }: HTMLElement,
): boolean => offsetTop >= scrollTop && offsetTop + offsetHeight <= scrollTop + clientHeight

const MethodList = ({ methods, current }: MethodListProps) => {
  const [filter, setFilter] = useState('')
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-current]')
    // Only the list is scrolled, to a method that a link leads to.
    if (list.current && chosen && !isInside(chosen, list.current))
      list.current.scrollTop = chosen.offsetTop - list.current.clientHeight / 3
  }, [current])
  const wanted = filter.trim().toLowerCase()
  const shown = methods.filter(
    ({ name, summary }) =>
      name.toLowerCase().includes(wanted) || (wanted.length > 3 && summary?.toLowerCase().includes(wanted)),
  )
  return (
    <div class="method-list">
      <input
        type="search"
        aria-label={texts.console.find}
        placeholder={texts.console.findOne(methods.length)}
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <ul aria-label={texts.console.methods} ref={list}>
        {shown.length === 0 && <li class="method-note">{texts.console.noMatch}</li>}
        {shown.map(({ name }, index) => (
          <li key={name}>
            {namespaceOf(name) !== namespaceOf(shown[index - 1]?.name ?? '') && (
              <span class="method-note">
                <SafeText text={namespaceOf(name)} max={maxName} />
              </span>
            )}
            <a
              class="mono"
              href={linkTo('console', [name])}
              title={safeText(name, maxName)}
              aria-current={name === current ? 'page' : undefined}
            >
              {safeText(name, maxName)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Every method of the node as a form. */
export const ConsoleView = ({ route: { args } }: { readonly route: Route }) => {
  useTitle(texts.nav.console)
  const current = args[0] ?? 'eth_blockNumber'
  const state = useCall(loadDocument, [])
  return (
    <>
      <Heading kind={texts.nav.console} />
      <Loaded state={state}>
        {(document) => {
          const method = document.methods.find(({ name }) => name === current)
          return (
            <div class="split">
              <MethodList methods={document.methods} current={current} />
              {method === undefined ? (
                <p>{texts.console.none}</p>
              ) : (
                <MethodForm key={current} method={method} document={document} />
              )}
            </div>
          )
        }}
      </Loaded>
    </>
  )
}
