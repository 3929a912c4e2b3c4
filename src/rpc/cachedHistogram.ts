import { Histogram, type HistogramConfiguration } from 'prom-client'

/**
 * prom-client looks up the series of a label set at every observation, which costs more than many calls do. Here it is
 * looked up once, and an observation is two additions.
 */

/** The counts and the sum of one label set. */
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

  /** The number of values at or below each bound, followed by the number of all values. */
  get cumulative(): number[] {
    let total = 0
    return this.#counts.map((count) => (total += count))
  }
}

/** A histogram whose series are created once by the caller and kept. */
export class CachedHistogram<Label extends string> extends Histogram<Label> {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #series: { readonly labels: Record<Label, string>; readonly series: HistogramSeries }[] = []

  constructor(configuration: HistogramConfiguration<Label> & { buckets: number[] }) {
    super(configuration)
    this.#name = configuration.name
    this.#help = configuration.help
    this.#bounds = configuration.buckets
  }

  createSeries(labels: Record<Label, string>): HistogramSeries {
    const series = new HistogramSeries(this.#bounds)
    this.#series.push({ labels, series })
    return series
  }

  /**
   * Returns the values for the registry and for `get`. prom-client has no other hook for values that are counted
   * elsewhere.
   */
  async getForPromString(): Promise<object> {
    const values = this.#series.flatMap(({ labels, series }) => {
      const { cumulative } = series
      const sample = (suffix: string, value: number, extraLabels: object = {}) => ({
        metricName: `${this.#name}_${suffix}`,
        labels: extraLabels,
        sharedLabels: labels,
        value,
      })
      return [
        ...cumulative.map((count, bucket) => sample('bucket', count, { le: this.#bounds[bucket] ?? '+Inf' })),
        sample('sum', series.sum),
        sample('count', cumulative.at(-1) ?? 0),
      ]
    })
    return { name: this.#name, help: this.#help, type: 'histogram', aggregator: 'sum', values }
  }
}
