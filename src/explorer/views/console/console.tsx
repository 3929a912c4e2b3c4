import { useState } from 'preact/hooks'
import { Heading, Loaded, useTitle } from '../../parts/layout.tsx'
import { linkTo, type Route } from '../../route.ts'
import { useCall } from '../../useCall.ts'
import { loadDocument, type MethodDescription } from './document.ts'
import { MethodForm } from './methodForm.tsx'

interface MethodListProps {
  readonly methods: readonly MethodDescription[]
  readonly current: string
}

const MethodList = ({ methods, current }: MethodListProps) => {
  const [filter, setFilter] = useState('')
  const wanted = filter.trim().toLowerCase()
  const shown = methods.filter(
    ({ name, summary }) =>
      name.toLowerCase().includes(wanted) || (wanted.length > 3 && summary?.toLowerCase().includes(wanted)),
  )
  return (
    <div class="method-list">
      <input
        type="search"
        aria-label="Find a method"
        placeholder={`Find one of ${methods.length} methods`}
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      <ul aria-label="Methods">
        {shown.map(({ name }) => (
          <li key={name}>
            <a
              class="mono"
              href={linkTo('console', [name])}
              aria-current={name === current ? 'page' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Every method of the node as a form. */
export const ConsoleView = ({ route: { args } }: { readonly route: Route }) => {
  useTitle('Console')
  const current = args[0] ?? 'eth_blockNumber'
  const state = useCall(loadDocument, [])
  return (
    <>
      <Heading kind="Console" />
      <Loaded state={state}>
        {(document) => {
          const method = document.methods.find(({ name }) => name === current)
          return (
            <div class="split">
              <MethodList methods={document.methods} current={current} />
              {method === undefined ? (
                <p>This node serves no method of this name.</p>
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
