/** What Prometheus makes of `/metrics`: the text format of a scrape, read into samples. */

export type Labels = Readonly<Record<string, string>>

export interface Sample {
  readonly name: string
  readonly labels: Labels
  readonly value: number
}

/** The samples of a target at one time, in seconds. */
export interface Scrape {
  readonly at: number
  readonly samples: readonly Sample[]
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

const toNumber = (text: string): number =>
  text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text)

/** Parses the text of a scrape; `target` are the labels that Prometheus adds. */
export const parseExposition = (text: string, target: Labels = {}): readonly Sample[] =>
  text
    .split('\n')
    .filter((text) => text !== '' && !text.startsWith('#'))
    .map((text) => {
      const [, name, labels = '', value] = line.exec(text) ?? []
      if (name === undefined || value === undefined) throw new Error(`no sample: ${text}`)
      const found = Object.fromEntries([...labels.matchAll(label)].map(([, key, value]) => [key, value]))
      return { name, labels: { ...found, ...target } as Labels, value: toNumber(value) }
    })
