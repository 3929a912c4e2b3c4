import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../support/freePort.ts'
import { slow } from '../support/slow.ts'
import { describeNetwork } from './describeNetwork.ts'
import { isAlive, until } from './homeProcess.ts'
import { askEngine, heightOf, waitForHeight } from './rpcHelpers.ts'
import { type NetworkNode, type StartedNode, startNetwork, startNode } from './testnet.ts'

/** Calls a method over the socket of a home, where the operator has all of them. */
const callOverIpc = async (home: string, method: string, ...params: unknown[]): Promise<unknown> => {
  const socket = connect(join(home, 'perihelion.ipc'))
  socket.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const [line] = (await once(createInterface(socket), 'line')) as [string]
  socket.destroy()
  return JSON.parse(line)
}

describeNetwork('a network as `testnet` makes it', () => {
  let network: Awaited<ReturnType<typeof startNetwork>>
  let stranger: StartedNode

  const nodeAt = (index: number): NetworkNode => network.nodes[index] as NetworkNode // two were started

  beforeAll(async () => {
    network = await startNetwork(2)
    const home = join(network.folder, 'stranger')
    stranger = await startNode(home, {
      flags: [
        ...['--engine', 'cometbft', '--genesis', join(network.folder, 'genesis.json')],
        ...['--engine-rpc', `http://127.0.0.1:${await freePort()}`],
        ...['--engine-p2p', `127.0.0.1:${await freePort()}`],
        ...['--json-rpc.address', '127.0.0.1:0', '--json-rpc.ws-address', ''],
      ],
    })
  })
  afterAll(async () => network?.stop())

  it('takes a peer by admin_addPeer', slow, async () => {
    expect(await heightOf(stranger)).toBe(0)
    const { node_info: info } = await askEngine<{ node_info: { id: string; listen_addr: string } }>(
      stranger,
      'status',
    )
    const peer = `${info.id}@${info.listen_addr.replace('tcp://', '')}`
    expect(await callOverIpc(nodeAt(0).home, 'admin_addPeer', peer)).toMatchObject({ result: true })
    await waitForHeight(stranger, 2)
  })

  it('ends the engine of a node that was killed', async () => {
    process.kill(stranger.pid, 'SIGKILL')
    await until('its engine is gone', () => !isAlive(stranger.enginePid))
  })

  it('ends every node and engine when it is killed itself', async () => {
    const pids = network.nodes.flatMap(({ pid, enginePid }) => [pid, enginePid])
    expect(pids.every(isAlive)).toBe(true)
    process.kill(network.pid, 'SIGKILL')
    const alive = (): number[] => pids.filter(isAlive)
    await until('nothing is left of it', () => alive().length === 0).catch((error: Error) => {
      const left = alive().map((pid) =>
        readFileSync(`/proc/${pid}/status`, 'utf8').replaceAll(/\s+/g, ' ').slice(0, 200),
      )
      throw new Error(`${error.message}: ${left.join('; ')}`)
    })
  })
})
