/** What the address of the page says before `#`: `?rpc=URL&trust=HEIGHT:HASH`. */

interface TrustedBlock {
  readonly height: number
  readonly hash: string
}

/** Reads a trusted block as `HEIGHT:HASH`; undefined for anything else. */
export const parseTrust = (text: string): TrustedBlock | undefined => {
  const [, height, hash] = /^(\d{1,15}):(?:0x)?([0-9a-fA-F]{64})$/.exec(text.trim()) ?? []
  return height === undefined || hash === undefined ? undefined : { height: Number(height), hash }
}

const isEndpoint = (text: string): boolean => {
  try {
    return /^https?:$/.test(new URL(text).protocol)
  } catch {
    return false
  }
}

/** The endpoints that the address names; none: the server that the page comes from. */
export const endpointsOf = (search: string): readonly string[] =>
  new URLSearchParams(search).getAll('rpc').filter(isEndpoint)

/** The block that the address names as trusted, as it is written there. */
export const trustOf = (search: string): string | undefined =>
  new URLSearchParams(search).get('trust') ?? undefined

/** Returns the address with other endpoints and another trusted block. */
export const addressWith = (href: string, rpc: readonly string[], trust: string | undefined): string => {
  const url = new URL(href)
  const others = [...url.searchParams].filter(([name]) => name !== 'rpc' && name !== 'trust')
  const given = [...rpc.map((one) => ['rpc', one]), ...(trust === undefined ? [] : [['trust', trust]])]
  url.search = [...others, ...given]
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent(value as string)
          .replaceAll('%3A', ':')
          .replaceAll('%2F', '/')}`,
    )
    .join('&')
  return url.href
}
