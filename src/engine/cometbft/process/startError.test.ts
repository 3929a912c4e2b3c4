import { expect, test } from 'vitest'
import { exitCodes } from '../../../base/exit.ts'
import { toStartError } from './startError.ts'

const listens = { rpc: { host: '127.0.0.1', port: 9634 }, p2p: { host: '0.0.0.0', port: 9633 } }
const start = 'ERROR: failed to start node: listen tcp'

test.each([
  [
    'peers',
    `${start} 0.0.0.0:9633: bind: address already in use`,
    'the address 0.0.0.0:9633 is taken by another process: choose another with --engine-p2p',
  ],
  [
    'the RPC',
    'ERROR: failed to start node: failed to listen on 127.0.0.1:9634: listen tcp 127.0.0.1:9634: bind: address already in use',
    'the address 127.0.0.1:9634 is taken by another process: choose another with --engine-rpc',
  ],
  [
    'another machine',
    `${start} 10.9.9.9:9633: bind: cannot assign requested address`,
    'the address 10.9.9.9:9633 is not one of this machine: choose another with --engine-p2p',
  ],
  [
    'something that no setting names',
    `${start} 127.0.0.1:80: bind: permission denied`,
    'no permission to listen on 127.0.0.1:80',
  ],
])('an address for %s on which CometBFT cannot listen', (_, lastError, message) => {
  expect(toStartError(lastError, { listens })).toMatchObject({ exitCode: exitCodes.addressTaken, message })
})

test('any other reason is an error of the program, in the words of CometBFT', () => {
  expect(toStartError('ERROR: something else', { listens })).toMatchObject({
    exitCode: exitCodes.internal,
    message: 'CometBFT did not start: ERROR: something else',
  })
})
