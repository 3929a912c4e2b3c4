import { afterAll, beforeAll, test } from 'vitest'
import { checkEthers } from '../clients/ethers.ts'
import { type Materials, prepareMaterials } from '../clients/materials.ts'
import type { Target } from '../clients/target.ts'
import { checkViem } from '../clients/viem.ts'
import { checkWeb3Js } from '../clients/web3js.ts'
import { describeNetwork } from './describeNetwork.ts'
import { devKey } from './ledger.ts'
import { type Network, startNetwork } from './testnet.ts'

/** The scripts that run against the node of one process, against four validators. */
describeNetwork('clients of users against four validators', () => {
  let network: Network
  let target: Target
  let materials: Materials

  beforeAll(async () => {
    network = await startNetwork(4)
    const [node] = network.nodes
    if (node === undefined) throw new Error('the network has no node')
    const { http: httpUrl, ws: wsUrl } = node
    target = { httpUrl, wsUrl, chainId: 31_337, privateKey: devKey(0), takesBlobs: false }
    materials = prepareMaterials()
  }, 240_000)
  afterAll(async () => network?.stop())

  test('viem', () => checkViem(target, materials))
  test('ethers', () => checkEthers(target, materials))
  test('web3.js', () => checkWeb3Js(target, materials))
})
