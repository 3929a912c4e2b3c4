import type { Registry } from 'prom-client'

/** Returns the value of one series of a registry; 0 if it was never set. */
export const readGauge = async (
  registry: Registry,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const metric = (await registry.getMetricsAsJSON()).find((candidate) => candidate.name === name)
  const series = metric?.values.filter((value) =>
    Object.entries(labels).every(([label, wanted]) => String(value.labels[label]) === wanted),
  )
  return series?.reduce((sum, { value }) => sum + value, 0) ?? 0
}

/** Returns the number of open connections of all transports. */
export const openConnections = (registry: Registry): Promise<number> =>
  readGauge(registry, 'perihelion_rpc_connections')
