import { rmSync } from 'node:fs'
import { type Abi, encodeFunctionData } from 'viem'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type CompiledContract, compileSolidity } from '../../scripts/solidity.ts'
import { postJson } from '../support/clients.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/freePort.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const short = (hex: string): string => `${hex.slice(0, 6)}…${hex.slice(-4)}`

const source = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Talker {
  uint256 public count;

  error TooLittle(uint256 have);

  constructor() {
    say(abi.encodeWithSignature("log(string)", "born"));
  }

  function say(bytes memory line) private view {
    (bool isThere, ) = address(0x000000000000000000636F6e736F6c652e6c6f67).staticcall(line);
    require(isThere);
  }

  function talk(uint256 apples) external {
    count = apples;
    say(abi.encodeWithSignature("log(string,uint256)", "%d apples", apples));
  }

  function fail(bool isNamed) external pure {
    require(!isNamed, "not today");
    revert TooLittle(7);
  }
}`

/** Programs with a dev chain, and what they show. */
describe('what happens on a dev chain', () => {
  let talker: CompiledContract
  beforeAll(() => {
    talker = compileSolidity(source, 'Talker')
  })
  const ends: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })

  const run = (...args: readonly string[]): Program => {
    const home = temporaryHome()
    const program = runProgram([...args, ...(args[0] === 'start' ? isolatedFlags(home) : [])])
    ends.push(async () => {
      program.child.kill('SIGTERM')
      await program.ended()
      rmSync(home, { recursive: true, force: true })
    })
    return program
  }

  const clientOf = (url: string) => {
    const call = async <T = string>(method: string, ...params: readonly unknown[]): Promise<T> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      return (JSON.parse(await postJson(url, body)) as { result: T }).result
    }
    const send = (request: object): Promise<string> =>
      call('eth_sendTransaction', { from: alice, ...request })
    const deploy = async () => {
      const hash = await send({ data: `0x${talker.evm.bytecode.object}` })
      const { contractAddress } = await call<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
      return { hash, address: contractAddress }
    }
    return { call, send, deploy }
  }

  const encode = (functionName: string, argument: unknown): string =>
    encodeFunctionData({ abi: talker.abi as Abi, functionName, args: [argument] })

  test('is in the output of perihelion anvil', slow, async () => {
    const program = run('anvil', '--port', '0')
    const listening = /^Listening on (.*)\n/m
    await eventually(() => listening.test(program.stdout()))
    const { call, send, deploy } = clientOf(`http://${listening.exec(program.stdout())?.[1]}`)
    const shows = (text: string): Promise<void> => eventually(() => program.stdout().includes(text))
    const { hash, address } = await deploy()
    await shows(`  ok     ${hash}  ${short(alice)} → new ${address}  gas `)
    await shows(`  log    ${short(address)}: born\n`)
    const transfer = await send({ to: bob, value: '0xde0b6b3a7640000' })
    await shows(`  ok     ${transfer}  ${short(alice)} → ${short(bob)}  value 1  gas 21000\n`)
    const talked = await send({ to: address, data: encode('talk', 5n) })
    await shows(`  ok     ${talked}  `)
    await shows(`  log    ${short(address)}: 5 apples\n`)
    expect(await call('eth_call', { to: address, data: encode('talk', 6n) })).toBe('0x')
    await shows(`  log    ${short(address)}: 6 apples\n`)
    expect(program.stdout()).toMatch(/\n {2}ok {5}eth_call {2}\S+ → \S+ .*\n {2}log {4}\S+: 6 apples\n/)
    const failed = await send({ to: address, data: encode('fail', true), gas: '0x186a0' })
    await shows(`  failed ${failed}  `)
    await shows('         reverted: not today\n')
    const custom = await send({ to: address, data: encode('fail', false), gas: '0x186a0' })
    await shows(`  failed ${custom}  `)
    await shows('         reverted: 0x')
    const endless = `0x${'77'.repeat(20)}`
    await call('anvil_setCode', endless, '0x5b60015f555f56') // stores 1 in a loop
    await call('eth_call', { from: alice, to: endless, gas: '0x186a0' })
    await shows('         out of gas\n')
    await call(
      'hardhat_addCompilationResult',
      '0.8.37',
      {},
      { contracts: { 'talker.sol': { Talker: talker } } },
    )
    const named = await deploy()
    await shows(`→ new ${named.address}  Talker  gas `)
    await send({ to: bob, nonce: '0x0' })
    await shows(`  ${short(alice)} → ${short(bob)}  nonce 0\n         rejected: nonce too low: next nonce 6`)
    await call('eth_sendRawTransaction', '0x1234')
    await shows(
      '  failed a transaction that cannot be read\n         rejected: transaction type not supported\n',
    )
    expect(program.stdout()).toMatch(/^block {2}6 {2}/m)
    expect(program.stderr()).toBe('')
  })

  test('is nowhere with perihelion anvil --silent', slow, async () => {
    const port = await freePort()
    const program = run('anvil', '--port', String(port), '--silent')
    const { call, deploy } = clientOf(`http://127.0.0.1:${port}`)
    await eventually(() =>
      call('eth_chainId').then(
        () => true,
        () => false,
      ),
    )
    await deploy()
    program.child.kill('SIGTERM')
    await program.ended()
    expect(program.stdout() + program.stderr()).toBe('')
  })

  test('is in the log of perihelion start as far as contracts write it', slow, async () => {
    const program = run('start', '--ephemeral')
    const { http = '' } = await program.ready()
    const { hash, address } = await clientOf(http).deploy()
    const lines = (): string[] => program.stderr().split('\n')
    await eventually(() => lines().some((line) => line.includes('"console.log"')))
    const line = lines().find((each) => each.includes('"console.log"')) ?? ''
    expect(JSON.parse(line)).toMatchObject({
      transaction: hash,
      contract: address,
      text: 'born',
      level: 'info',
    })
    expect(program.stdout().trim().split('\n')).toHaveLength(1)
  })

  test.each([0, 1])('has every method with --verbose, and %d serving processes', slow, async (workers) => {
    const flags = ['--verbose', '--log.format=text', `--json-rpc.workers=${workers}`]
    const program = run('start', '--ephemeral', ...flags)
    const { http = '' } = await program.ready()
    await clientOf(http).call('eth_accounts')
    await eventually(() => program.stderr().includes('  call   eth_accounts\n'))
  })

  test('is not there with --quiet', slow, async () => {
    const program = run('start', '--ephemeral', '--quiet')
    const { http = '' } = await program.ready()
    await clientOf(http).deploy()
    program.child.kill('SIGTERM')
    await program.ended()
    expect(program.stderr()).not.toContain('console.log')
  })
})
