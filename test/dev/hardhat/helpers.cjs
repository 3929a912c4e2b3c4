// Every helper of @nomicfoundation/hardhat-network-helpers once, against the network of the configuration. Run by Node in a
// folder where Hardhat is installed; prints one line for each helper that did what it says.
const assert = require('node:assert/strict')
const helpers = require('@nomicfoundation/hardhat-network-helpers')
const hre = require('hardhat')

const request = (method, ...params) => hre.network.provider.request({ method, params })
const nobody = `0x${'77'.repeat(20)}`
const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const blockNumber = async () => Number(await request('eth_blockNumber'))
const latest = () => request('eth_getBlockByNumber', 'latest', false)

const checks = {
  setBalance: async () => {
    await helpers.setBalance(nobody, 10n ** 18n)
    assert.equal(BigInt(await request('eth_getBalance', nobody, 'latest')), 10n ** 18n)
  },
  setCode: async () => {
    await helpers.setCode(nobody, '0x60006000fd')
    assert.equal(await request('eth_getCode', nobody, 'latest'), '0x60006000fd')
  },
  setNonce: async () => {
    await helpers.setNonce(nobody, 42)
    assert.equal(await request('eth_getTransactionCount', nobody, 'latest'), '0x2a')
  },
  setStorageAt: async () => {
    await helpers.setStorageAt(nobody, 5, 77)
    assert.equal(BigInt(await helpers.getStorageAt(nobody, 5)), 77n)
  },
  impersonateAccount: async () => {
    await helpers.impersonateAccount(nobody)
    const hash = await request('eth_sendTransaction', { from: nobody, to: alice, value: '0x1' })
    const receipt = await request('eth_getTransactionReceipt', hash)
    assert.equal(receipt.from, nobody)
    assert.equal(receipt.status, '0x1')
  },
  stopImpersonatingAccount: async () => {
    await helpers.stopImpersonatingAccount(nobody)
    await assert.rejects(request('eth_sendTransaction', { from: nobody, to: alice, value: '0x1' }))
  },
  mine: async () => {
    const before = await blockNumber()
    await helpers.mine()
    assert.equal(await blockNumber(), before + 1)
    const { timestamp } = await latest()
    await helpers.mine(10, { interval: 60 })
    assert.equal(await blockNumber(), before + 11)
    assert.ok(Number((await latest()).timestamp) >= Number(timestamp) + 600 - 60)
  },
  mineUpTo: async () => {
    const target = (await blockNumber()) + 7
    await helpers.mineUpTo(target)
    assert.equal(await blockNumber(), target)
  },
  setNextBlockBaseFeePerGas: async () => {
    await helpers.setNextBlockBaseFeePerGas(1234567)
    await helpers.mine()
    assert.equal(Number((await latest()).baseFeePerGas), 1234567)
  },
  setPrevRandao: async () => {
    await helpers.setPrevRandao(12345)
    await helpers.mine()
    assert.equal(BigInt((await latest()).mixHash), 12345n)
  },
  setCoinbase: async () => {
    await helpers.setCoinbase(nobody)
    await helpers.mine()
    assert.equal((await latest()).miner, nobody)
  },
  setBlockGasLimit: async () => {
    await helpers.setBlockGasLimit(30_000_000)
    await helpers.mine()
    assert.equal(Number((await latest()).gasLimit), 30_000_000)
  },
  dropTransaction: async () => {
    await request('evm_setAutomine', false)
    const hash = await request('eth_sendTransaction', {
      from: alice,
      to: nobody,
      value: '0x1',
      gas: '0x7530',
    })
    assert.ok(await helpers.dropTransaction(hash))
    await helpers.mine()
    assert.equal(await request('eth_getTransactionReceipt', hash), null)
    await request('evm_setAutomine', true)
  },
  'time.latest': async () => {
    assert.equal(await helpers.time.latest(), Number((await latest()).timestamp))
    assert.equal(await helpers.time.latestBlock(), await blockNumber())
  },
  'time.increase': async () => {
    const before = await helpers.time.latest()
    const after = await helpers.time.increase(3600)
    assert.equal(after, await helpers.time.latest())
    assert.equal(after, before + 3600)
  },
  'time.increaseTo': async () => {
    const target = (await helpers.time.latest()) + 100_000
    await helpers.time.increaseTo(target)
    assert.equal(await helpers.time.latest(), target)
  },
  'time.setNextBlockTimestamp': async () => {
    const target = (await helpers.time.latest()) + 5_000
    await helpers.time.setNextBlockTimestamp(target)
    await helpers.mine()
    assert.equal(await helpers.time.latest(), target)
  },
  'time.advanceBlock': async () => {
    const before = await blockNumber()
    await helpers.time.advanceBlock(3)
    await helpers.time.advanceBlockTo(before + 5)
    assert.equal(await blockNumber(), before + 5)
  },
  takeSnapshot: async () => {
    const snapshot = await helpers.takeSnapshot()
    const before = await blockNumber()
    await helpers.setBalance(alice, 5n)
    await helpers.mine(3)
    await snapshot.restore()
    assert.equal(await blockNumber(), before)
    assert.notEqual(BigInt(await request('eth_getBalance', alice, 'latest')), 5n)
    await helpers.mine(3)
    await snapshot.restore()
    assert.equal(await blockNumber(), before)
  },
  loadFixture: async () => {
    let runs = 0
    const fixture = async () => {
      runs++
      await helpers.setBalance(nobody, 99n)
      await helpers.mine(2)
      return blockNumber()
    }
    const first = await helpers.loadFixture(fixture)
    await helpers.setBalance(nobody, 1n)
    await helpers.mine(4)
    const second = await helpers.loadFixture(fixture)
    assert.equal(first, second)
    assert.equal(runs, 1)
    assert.equal(await blockNumber(), first)
    assert.equal(BigInt(await request('eth_getBalance', nobody, 'latest')), 99n)
    await helpers.clearSnapshots()
  },
  reset: async () => {
    await helpers.reset()
    assert.equal(await blockNumber(), 0)
  },
}

const run = async () => {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check()
      console.log(`ok ${name}`)
    } catch (error) {
      console.log(`failed ${name}: ${error.message}`)
    }
  }
}

run()
