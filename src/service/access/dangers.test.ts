import { expect, test } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { prepareAccess } from '../access/servedMethods.ts'
import { findDangers } from './dangers.ts'

/** The settings and texts of what is dangerous about a start with these flags. */
const dangersOf = (...flags: readonly string[]) => {
  const { config } = loadConfig({ flags: ['--home=/no/such', ...flags], purpose: 'node' })
  return findDangers(config, prepareAccess(config, []).namespaces)
}
const here = '--json-rpc.ws-address=127.0.0.1:8546'

test('a dev chain on this machine alone has no danger', () => {
  expect(dangersOf(here)).toEqual([])
  expect(dangersOf('--json-rpc.ws-address=[::1]:8546', '--json-rpc.address=localhost:8545')).toEqual([])
})

test('the default of WebSocket beside unlocked accounts says who may call what, and how to bind it', () => {
  expect(dangersOf('--json-rpc.api=eth,net')).toEqual([
    {
      setting: 'json-rpc.ws-address',
      text: 'anyone who can reach 0.0.0.0:8546 may call the public methods of eth,net, but not sign with the unlocked accounts',
      remedy: '--json-rpc.ws-address 127.0.0.1:8546 binds it to this machine',
    },
  ])
  expect(dangersOf('--dev=false')).toEqual([])
  expect(dangersOf('--accounts=0')).toEqual([])
})

test('remote callers who may sign are reported as such', () => {
  const [first, second] = dangersOf('--json-rpc.address=0.0.0.0:8545', '--json-rpc.allow-insecure-unlock')
  expect(first?.text).toContain('anyone who can reach 0.0.0.0:8545 may sign with the unlocked accounts')
  expect(second?.setting).toBe('json-rpc.ws-address')
})

test.each(['cors', 'vhosts'])('* in %s is reported beside private methods or unlocked accounts', (name) => {
  const all = `--json-rpc.${name}=*`
  expect(dangersOf(here, all)).toMatchObject([{ setting: `json-rpc.${name}` }])
  expect(dangersOf(here, all)[0]?.text).toContain('sign with the unlocked accounts')
  const [named] = dangersOf(here, all, '--dev=false', '--json-rpc.api=eth,admin')
  expect(named?.text).toContain('call private methods of admin with a token')
  expect(dangersOf(here, all, '--dev=false')).toEqual([])
  expect(dangersOf(here, all, '--ephemeral')).toEqual([])
})

test('an application that others reach is reported, one on this machine is not', () => {
  const attached = (address: string) =>
    dangersOf('--engine=cometbft', '--dev=false', `--abci-address=${address}`)
  expect(attached('tcp://0.0.0.0:26658')).toMatchObject([
    { setting: 'abci-address', text: expect.stringContaining('tcp://0.0.0.0:26658') },
  ])
  expect(attached('tcp://127.0.0.1:26658')).toEqual([])
  expect(attached('unix:///tmp/app.sock')).toEqual([])
})
