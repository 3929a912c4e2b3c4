/** Shorter texts are not keys, and would be found in every message. */
const minSecretLength = 6

/** What stands for the part of a URL that is not shown. */
const hiddenPart = '/…'

/**
 * Returns a URL as it may be shown in logs, metrics and errors: its origin. Providers give keys as a user, as a part of the
 * path or in the query.
 */
export const showUrl = (url: string): string => {
  const { origin, protocol, host, pathname, search, hash, username, password } = new URL(url)
  const isPlain = pathname === '/' && `${search}${hash}${username}${password}` === ''
  const shown = origin === 'null' ? `${protocol}//${host}` : origin
  return isPlain ? shown : `${shown}${hiddenPart}`
}

/** Hides what may be a key of a remote in texts: all of its URL but the origin, and the values of its headers. */
export class Redaction {
  /** The URL as it may be shown. */
  readonly shownUrl: string
  readonly #secrets: readonly string[]

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    const { pathname, search, hash, username, password, searchParams } = new URL(url)
    this.shownUrl = showUrl(url)
    const parts = [
      ...pathname.split('/'),
      ...searchParams.values(),
      ...[username, password].map(decode),
      username,
      password,
      hash.slice(1),
      ...Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]),
    ]
    const long = parts.filter((part) => part.length >= minSecretLength)
    const isPlain = !this.shownUrl.endsWith(hiddenPart)
    const whole = isPlain ? [] : [url, new URL(url).href, pathname + search].filter((part) => part.length > 1)
    // The longest first, so that none is cut by one that it contains.
    this.#secrets = [...new Set([...whole, ...long])].sort((a, b) => b.length - a.length)
  }

  /** Returns a text without secrets. */
  clean(text: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), text)
  }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
