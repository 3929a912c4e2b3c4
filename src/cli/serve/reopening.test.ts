import { expect, test } from 'vitest'
import { internalFailure } from '../../base/exit.ts'
import { createLogger } from '../../base/logging/log.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { Service } from '../../service/start/startService.ts'
import { ReopeningService, type ServiceCallbacks } from './reopening.ts'

const config = {
  home: '/home',
  jsonRpc: { address: { host: '127.0.0.1', port: 0 }, wsAddress: undefined },
} as unknown as Config // the parts that are used

const setUp = (fails: (start: number) => boolean = () => false, port = 0) => {
  const facts = {
    ports: [] as unknown[],
    closed: 0,
    fatal: [] as string[],
    now: 0,
    steps: [] as string[],
  }
  let callbacks: ServiceCallbacks | undefined
  const address = { host: '127.0.0.1', port }
  const service = new ReopeningService(
    { ...config, jsonRpc: { ...config.jsonRpc, address } },
    {
      start: async ({ jsonRpc }, given) => {
        facts.ports.push(jsonRpc.address?.port)
        if (fails(facts.ports.length)) throw new Error('no such disk')
        callbacks = given
        return {
          served: { chain: { head: () => ({ number: 7 }) } },
          urls: () => ({ http: 'http://127.0.0.1:1234' }),
          close: async () => {
            facts.closed++
            facts.steps.push('closed')
          },
        } as unknown as Service // the parts that are used
      },
      onFatal: ({ message }) => facts.fatal.push(message),
      onOpened: () => facts.steps.push('opened'),
      beforeReopening: async () => void facts.steps.push('about to reopen'),
      now: () => facts.now,
      log: createLogger('silent'),
    },
  )
  return {
    facts,
    service,
    fail: (reason: string, waits?: boolean) => callbacks?.onCommitFailed(reason, waits),
    now: () => callbacks,
  }
}

test('a failed commit closes the service and opens it on the same port; a second one soon after is fatal', async () => {
  const { facts, service, fail } = setUp()
  await service.start()
  fail('EIO')
  await expect.poll(() => facts.ports).toEqual([0, 1234])
  expect(facts).toMatchObject({ closed: 1, fatal: [] })
  facts.now = 60_000
  fail('EIO')
  expect(facts.fatal).toEqual(['EIO, for the second time: look at the disk of /home and at the free memory'])
})

test('a chain that waits for room is opened again as often as it fails', async () => {
  const { facts, service, fail } = setUp()
  await service.start()
  for (let times = 1; times <= 3; times++) {
    fail('ENOSPC', true)
    await expect.poll(() => facts.steps.filter((step) => step === 'opened')).toHaveLength(times + 1)
  }
  fail('EIO')
  await expect.poll(() => facts.steps.filter((step) => step === 'opened')).toHaveLength(5)
  expect(facts.fatal).toEqual([])
  fail('EIO')
  expect(facts.fatal).toEqual([expect.stringContaining('EIO, for the second time')])
})

test('who uses the service is notified before it is closed and when it is open', async () => {
  const { facts, service, fail } = setUp()
  await service.start()
  fail('EIO')
  await expect.poll(() => facts.ports).toHaveLength(2)
  await service.close()
  expect(facts.steps).toEqual(['opened', 'about to reopen', 'closed', 'opened', 'closed'])
})

test('a port that was asked for stays, also the one that URLs leave out', async () => {
  const { facts, service, fail } = setUp(undefined, 80)
  await service.start()
  fail('EIO')
  await expect.poll(() => facts.ports).toEqual([80, 80])
})

test('what follows from a failed commit is not fatal, and what has another reason is', async () => {
  const { facts, service, fail, now } = setUp()
  await service.start()
  const first = now()
  fail('EIO')
  first?.onFatal(internalFailure('the engine has ended'))
  await expect.poll(() => facts.ports).toHaveLength(2)
  expect(facts.fatal).toEqual([])
  now()?.onFatal(internalFailure('the engine has ended'))
  expect(facts.fatal).toEqual(['the engine has ended'])
})

test('a stop while it is closed does not open it again', async () => {
  const { facts, service, fail } = setUp()
  await service.start()
  fail('EIO')
  await service.close()
  expect(facts.ports).toHaveLength(1)
})

test('one that comes much later is another accident', async () => {
  const { facts, service, fail } = setUp()
  await service.start()
  fail('EIO')
  await expect.poll(() => facts.ports).toHaveLength(2)
  facts.now = 3_600_000
  fail('ENOSPC')
  await expect.poll(() => facts.ports).toHaveLength(3)
  expect(facts.fatal).toEqual([])
  await service.close()
  expect(facts.closed).toBe(3)
})

test('a chain that cannot be opened again is fatal', async () => {
  const { facts, service, fail } = setUp((start) => start === 2)
  await service.start()
  fail('EIO')
  await expect.poll(() => facts.fatal).toEqual(['EIO; opening the chain again: no such disk'])
  // The end that follows is in order: it has the exit code of the reason.
  await service.close()
  expect(facts.closed).toBe(1)
})
