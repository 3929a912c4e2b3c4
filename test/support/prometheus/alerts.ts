import { readYaml } from '../../deploy/files.ts'
import { parseExposition, type Scrape } from './exposition.ts'
import { evaluate } from './promql.ts'

export interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string }
}

/** The alerts that are documented. */
export const readAlerts = (): readonly Alert[] => {
  const [file] = readYaml('prometheus/alerts.yaml')
  const { groups } = file as { readonly groups?: readonly { readonly rules: readonly Alert[] }[] }
  if (groups === undefined) throw new Error('the file has no groups')
  return groups.flatMap(({ rules }) => rules)
}

const target = { job: 'perihelion', instance: 'node1' }

/** A scrape of one node at a time in seconds. */
export const scrapeOf = (text: string, at: number, instance = target.instance): Scrape => ({
  at,
  samples: [
    ...parseExposition(text, { ...target, instance }),
    { name: 'up', labels: { ...target, instance }, value: 1 },
  ],
})

/** The names of the alerts whose expression holds after some scrapes; how long it has to hold is not waited for. */
export const firing = (scrapes: readonly Scrape[]): readonly string[] =>
  readAlerts()
    .filter(({ expr }) => evaluate(expr, scrapes).length > 0)
    .map(({ alert }) => alert)
