import { createStore } from '../state/store.ts'

/** Where the page is: `#/tx/0x…?tab=trace` is the view `tx` with one argument. */
export interface Route {
  readonly view: string
  readonly args: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const parseRoute = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [view = '', ...args] = path.split('/').map(decode)
  return {
    view,
    args: args.filter((arg) => arg !== ''),
    query: Object.fromEntries(new URLSearchParams(query)),
  }
}

/** Returns the link of a view. */
export const linkTo = (
  view: string,
  args: readonly (string | number | bigint)[] = [],
  query: Readonly<Record<string, string | undefined>> = {},
): string => {
  const path = [view, ...args].map((part) => encodeURIComponent(String(part))).join('/')
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return `#/${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
}

export const route = createStore<Route>(parseRoute(location.hash))

export const go = (link: string): void => {
  location.hash = link
}

/** Changes the link without a new entry in the history, as for a tab of a view. */
export const replaceLink = (link: string): void => {
  history.replaceState(null, '', link)
  route.set(parseRoute(link))
}

export const startRouting = (): void =>
  addEventListener('hashchange', () => {
    route.set(parseRoute(location.hash))
    scrollTo(0, 0)
    // The link that was followed may be gone, and whoever hears the page must hear of the new view.
    document.getElementById('content')?.focus({ preventScroll: true })
  })
