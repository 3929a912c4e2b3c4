import { Counter, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { addUp } from './metrics.ts'
import { ServingTotals } from './totals.ts'

const metricsOf = async (count: number) => {
  const registry = new Registry()
  new Counter({ name: 'calls_total', help: 'calls', registers: [registry] }).inc(count)
  return registry.getMetricsAsJSON()
}

test('nothing is lost of processes that end together, at no moment', async () => {
  const totals = new ServingTotals(undefined as never) // nothing fails
  const processes = [{}, {}, {}, {}]
  for (const [index, child] of processes.entries()) totals.keep(child, await metricsOf(10 ** index))
  const sum = async (): Promise<number> => {
    const [metric] = await addUp(totals.all).getMetricsAsJSON()
    return Number(metric?.values[0]?.value)
  }
  for (const child of processes) {
    totals.retire(child)
    expect(await sum()).toBe(1111)
  }
  await expect.poll(() => totals.all.length).toBeLessThan(4)
  expect(await sum()).toBe(1111)
})
