import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { registerWorkerMetrics } from './workerMetrics.ts'

test('the workers of calls and of traces have figures each', async () => {
  const registry = new Registry()
  registerWorkerMetrics(registry, () => ({
    call: { workers: 3, busy: 1, waiting: 0, replaced: 4 },
    trace: { workers: 2, busy: 2, waiting: 7, replaced: 0 },
  }))
  const wanted = [
    'perihelion_call_workers{pool="call",state="busy"} 1',
    'perihelion_call_workers{pool="call",state="idle"} 2',
    'perihelion_call_workers{pool="trace",state="busy"} 2',
    'perihelion_call_workers{pool="trace",state="idle"} 0',
    'perihelion_call_queue{pool="call"} 0',
    'perihelion_call_queue{pool="trace"} 7',
    'perihelion_call_workers_replaced_total{pool="call"} 4',
    'perihelion_call_workers_replaced_total{pool="trace"} 0',
  ]
  // A counter must not add up what is a total already.
  for (let count = 0; count < 2; count++) {
    const lines = (await registry.metrics())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    expect(lines).toEqual(wanted)
  }
})
