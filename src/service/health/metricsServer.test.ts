import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { MetricsServer } from './metricsServer.ts'

test('those who send nothing do not keep the others out', slow, async () => {
  const server = new MetricsServer({ error: () => {} } as never) // what it logs with
  await server.start({ host: '127.0.0.1', port: 0 })
  try {
    const port = Number(new URL(server.url).port)
    const silent = Array.from({ length: 64 }, () =>
      connect(port, '127.0.0.1')
        .on('error', () => {})
        .resume(),
    )
    const ended = silent.map((socket) => once(socket, 'close'))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    await Promise.all(ended)
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  } finally {
    await server.close()
  }
})
