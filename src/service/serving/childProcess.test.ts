import { expect, test } from 'vitest'
import { ServingChild } from './childProcess.ts'

test('a process that cannot be spawned is reported at once, and ends nothing', async () => {
  const logged: unknown[] = []
  const exited: unknown[] = []
  const { execPath } = process
  process.execPath = '/nowhere/node'
  try {
    expect(
      () =>
        new ServingChild({
          log: { error: (_: unknown, message: string) => logged.push(message) } as never, // what it uses
          onExit: () => exited.push('exit'),
          calls: {} as never, // nothing calls
          pages: {} as never,
          keys: {} as never,
        }),
    ).toThrow('could not be spawned')
  } finally {
    process.execPath = execPath
  }
  await expect.poll(() => logged).toEqual(['a serving process failed'])
  expect(exited).toEqual([])
})
