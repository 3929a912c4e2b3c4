import { Histogram, type HistogramConfiguration } from 'prom-client'

/**
 * prom-client finds the numbers of a label set anew at every observation, which costs more than many a call does. Here
 * they are found once, and an observation is two additions.
 */

/** The numbers of one label set. */
export class HistogramSeries {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Array(bounds.length + 1).fill(0) // the last one is beyond all bounds
  }

  observe(value: number): void {
    let bucket = 0
    while (value > (this.#bounds[bucket] as number)) bucket++ // ends past the last: nothing is greater than undefined
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += value
  }

  get sum(): number {
    return this.#sum
  }

  /** How many values were at or below each bound, and last how many there were. */
  get cumulative(): number[] {
    let total = 0
    return this.#counts.map((count) => (total += count))
  }
}

/** A histogram whose label sets are asked for once and kept. */
export class CachedHistogram<Label extends string> extends Histogram<Label> {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #tallies: { readonly labels: Record<Label, string>; readonly histogramSeries: HistogramSeries }[] =
    []

  constructor(configuration: HistogramConfiguration<Label> & { buckets: number[] }) {
    super(configuration)
    this.#name = configuration.name
    this.#help = configuration.help
    this.#bounds = configuration.buckets
  }

  tally(labels: Record<Label, string>): HistogramSeries {
    const histogramSeries = new HistogramSeries(this.#bounds)
    this.#tallies.push({ labels, histogramSeries })
    return histogramSeries
  }

  /** What the registry and `get` read; prom-client has no other place for numbers that were counted elsewhere. */
  async getForPromString(): Promise<object> {
    const values = this.#tallies.flatMap(({ labels, histogramSeries }) => {
      const { cumulative } = histogramSeries
      const series = (suffix: string, value: number, extraLabels: object = {}) => ({
        metricName: `${this.#name}_${suffix}`,
        labels: extraLabels,
        sharedLabels: labels,
        value,
      })
      return [
        ...cumulative.map((count, bucket) => series('bucket', count, { le: this.#bounds[bucket] ?? '+Inf' })),
        series('sum', histogramSeries.sum),
        series('count', cumulative.at(-1) ?? 0),
      ]
    })
    return { name: this.#name, help: this.#help, type: 'histogram', aggregator: 'sum', values }
  }
}
