import { expect, test } from 'vitest'
import { FollowError } from './followError.ts'
import { FollowMetrics } from './followMetrics.ts'

test('the metrics of a follower have its lag', async () => {
  const metrics = await FollowMetrics.listen('127.0.0.1:0')
  const read = async (): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${metrics.port}/metrics`)
    return (await response.text())
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .join('; ')
  }
  metrics.onHead(9, 4)
  expect(await read()).toBe(
    'perihelion_follow_head_block 9; perihelion_follow_next_block 4; perihelion_follow_lag_blocks 6',
  )
  metrics.onWritten(10)
  expect(await read()).toContain('lag_blocks 0')
  await expect(FollowMetrics.listen(`127.0.0.1:${metrics.port}`)).rejects.toThrow(/--metrics/)
  metrics.close()
})

test('an invalid address is rejected', async () => {
  await expect(FollowMetrics.listen('nowhere')).rejects.toBeInstanceOf(FollowError)
})
