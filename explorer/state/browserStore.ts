/**
 * What the browser keeps for this page. Its store may be closed, as in a frame without an origin, or full: then it lasts as
 * long as the page, which works all the same.
 */

export const keptText = (key: string): string | undefined => {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps a text; undefined: none. */
export const keepText = (key: string, text: string | undefined): void => {
  try {
    if (text === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, text)
  } catch {
    // As above.
  }
}
