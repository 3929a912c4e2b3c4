import { expect, test } from 'vitest'
import { expandShortFlags } from './gatewayFlags.ts'

test('short names stand for settings, and nodes may be named one by one', () => {
  const args = ['--node', 'http://a:1', '--home', 'x', '--node=http://b:2', '--from', '7', '--grpc', 'a:9']
  expect(expandShortFlags(args)).toEqual([
    '--home',
    'x',
    '--gateway.from=7',
    '--gateway.node=http://a:1,http://b:2',
    '--gateway.grpc=a:9',
  ])
})

test('a flag without a value is left for the one who reads it', () => {
  expect(expandShortFlags(['--node', '--from'])).toEqual(['--gateway.node', '--gateway.from'])
})
