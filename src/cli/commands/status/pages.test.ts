import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { checkClockOffset } from '../../../service/doctor/clock.ts'
import { readPages } from '../../../service/doctor/pages.ts'
import { paintIf } from '../../output/paint.ts'
import { renderStatus } from './render.ts'

describe('what the pages of a node tell', () => {
  let server: Server
  afterEach(() => server.close())

  const serve = async (
    ready: object,
    status: number,
    clockOffset: number,
    { health = {}, metrics = '' } = {},
  ): Promise<string> => {
    server = createServer((request, response) => {
      if (request.url === '/metrics')
        response.end(`perihelion_clock_offset_seconds ${clockOffset}\n${metrics}`)
      else if (request.url === '/ready') response.writeHead(status).end(JSON.stringify(ready))
      else response.end(JSON.stringify(health))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const shown = async (origin: string): Promise<string> => {
    const pages = await readPages(origin)
    const node = { height: 7, time: 1000, lag: 0, forksAhead: [], forkProblems: [], target: origin }
    return renderStatus(
      { ...node, ...pages } as unknown as Parameters<typeof renderStatus>[0],
      1064,
      paintIf(false),
    )
  }

  it('is why it is not ready, also where it has all blocks', async () => {
    const problem = 'the chain stands: block 7 is the newest for 64 seconds'
    const text = await shown(await serve({ ready: false, reasons: ['halted'], problem }, 503, 0.4))
    expect(text).toMatch(/^height +7, .* old, in step$/m)
    expect(text).toMatch(new RegExp(`^problem +${problem}$`, 'm'))
    expect(text).not.toContain('clock')
  })

  it('is a clock that is off, with which it is ready all the same', async () => {
    const text = await shown(await serve({ ready: true }, 200, -60.2))
    expect(text).toMatch(/^clock +1 min 0 s behind the validators' clocks: set it by NTP$/m)
    expect(text).not.toContain('problem')
  })

  it('is a gateway of the fleet that is not seen, with which it is ready all the same', async () => {
    const metric = (name: string, label: string, value: number) =>
      `perihelion_gateway_member_${name}{member="${label}",name="host-${label}"} ${value}\n`
    const metrics = [
      ...[metric('height', 'a', 7), metric('height', 'b', 5), metric('height', 'c', 6)],
      ...[
        metric('unseen_seconds', 'a', 0.5),
        metric('unseen_seconds', 'b', 42.5),
        metric('unseen_seconds', 'c', 1),
      ],
      ...[metric('has_trouble', 'a', 0), metric('has_trouble', 'b', 0), metric('has_trouble', 'c', 1)],
    ].join('')
    const problem = 'of the fleet host-b has not been seen for a while'
    const text = await shown(await serve({ ready: true }, 200, 0, { metrics, health: { problem } }))
    expect(text).toMatch(/^fleet +host-a at height 7$/m)
    expect(text).toMatch(/^fleet +host-b at height 5, not seen for 43 s$/m)
    expect(text).toMatch(/^fleet +host-c at height 6, has a problem: ask it$/m)
    expect(text).toMatch(new RegExp(`^problem +${problem}$`, 'm'))
  })

  it('is a finding of the doctor if the clock is off, and none if it is not', async () => {
    const found = async (clockOffset: number) => {
      const pages = await readPages(await serve({ ready: true }, 200, clockOffset))
      server.close()
      return checkClockOffset(pages)
    }
    expect(await found(-60.2)).toEqual([
      {
        check: 'clock',
        level: 'warning',
        text: "the clock of the node that runs is 60 s behind the validators' clocks",
        remedy: 'set it by NTP (`timedatectl set-ntp true`)',
      },
    ])
    expect(await found(60)).toMatchObject([{ text: expect.stringContaining('60 s ahead of') }])
    expect(await found(2)).toEqual([])
    expect(checkClockOffset(undefined)).toEqual([])
  })
})
