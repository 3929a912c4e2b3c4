const timeoutMs = 3000

/** What is read from the pages that a node serves beside JSON-RPC. */
export interface PageStatus {
  readonly upstreams: readonly { readonly node: string; readonly isReady: boolean }[]
  /** Bytes of memory of the process. */
  readonly memory: number | undefined
  readonly diskFree: number | undefined
  /** Why the node is degraded; undefined if it is not. */
  readonly problem: string | undefined
}

/** Reads /metrics and /health of a node; undefined where it does not serve them. */
export const readPages = async (origin: string): Promise<PageStatus | undefined> => {
  const metrics = await fetchText(`${origin}/metrics`)
  if (metrics === undefined || !metrics.includes('perihelion_')) return undefined
  const health = await fetchText(`${origin}/health`)
  return {
    upstreams: samples(metrics, 'perihelion_gateway_upstream_ready').map(({ labels, value }) => ({
      node: /node="([^"]*)"/.exec(labels)?.[1] ?? '',
      isReady: value === 1,
    })),
    memory: samples(metrics, 'perihelion_process_resident_memory_bytes')[0]?.value,
    diskFree: samples(metrics, 'perihelion_disk_free_bytes')[0]?.value,
    problem: problemOf(health),
  }
}

const fetchText = async (url: string): Promise<string | undefined> => {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    return reply.ok ? await reply.text() : undefined
  } catch {
    return undefined
  }
}

/** Returns the values of a metric in the text format of Prometheus. */
const samples = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)$`, 'gm'))].map(
    ([, labels = '', value]) => ({
      labels,
      value: Number(value),
    }),
  )

const problemOf = (health: string | undefined): string | undefined => {
  try {
    return (JSON.parse(health ?? '{}') as { readonly problem?: string }).problem
  } catch {
    return undefined
  }
}
