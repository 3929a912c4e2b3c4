import { afterAll, beforeAll, describe, test } from 'vitest'
import { slow } from '../support/slow.ts'
import { checkEthers } from './ethers.ts'
import { type Materials, prepareMaterials } from './materials.ts'
import { openTarget } from './target.ts'
import { checkViem } from './viem.ts'
import { checkWeb3Js } from './web3js.ts'
import { checkWeb3Py, web3PyMissing } from './web3py.ts'

/** Clients of users, one after the other: they share an account. */
describe('clients', () => {
  let open: Awaited<ReturnType<typeof openTarget>>
  let materials: Materials

  beforeAll(async () => {
    open = await openTarget()
    materials = prepareMaterials()
  })
  afterAll(() => open.close())

  test('viem', () => checkViem(open.target, materials))
  test('ethers', slow, () => checkEthers(open.target, materials))
  test('web3.js', () => checkWeb3Js(open.target, materials))
  test('web3.py', async (ctx) => {
    const missing = web3PyMissing()
    if (missing !== undefined) ctx.skip(missing)
    await checkWeb3Py(open.target, materials)
  })
})
