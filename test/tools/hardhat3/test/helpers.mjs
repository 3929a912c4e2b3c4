import { expect } from 'chai'
import { network } from 'hardhat'

const { ethers, networkHelpers: helpers } = await network.create()
const { time } = helpers

const stranger = '0x00000000000000000000000000000000000000aa'
const height = () => time.latestBlock()

/** The network helpers of Hardhat 3, one by one. */
describe('network helpers', () => {
  it('mine', async () => {
    const before = await height()
    await helpers.mine(5, { interval: 10 })
    expect(await height()).to.equal(before + 5)
  })

  it('mineUpTo', async () => {
    const wanted = (await height()) + 3
    await helpers.mineUpTo(wanted)
    expect(await height()).to.equal(wanted)
  })

  it('setBalance', async () => {
    await helpers.setBalance(stranger, 10n ** 18n)
    expect(await ethers.provider.getBalance(stranger)).to.equal(10n ** 18n)
  })

  it('setCode', async () => {
    await helpers.setCode(stranger, '0x602a5f5260205ff3')
    expect(BigInt(await ethers.provider.call({ to: stranger }))).to.equal(42n)
    await helpers.setCode(stranger, '0x')
  })

  it('setNonce', async () => {
    const { address } = ethers.Wallet.createRandom()
    await helpers.setNonce(address, 9)
    expect(await ethers.provider.getTransactionCount(address)).to.equal(9)
  })

  it('setStorageAt and getStorageAt', async () => {
    await helpers.setStorageAt(stranger, 3, 77)
    expect(BigInt(await helpers.getStorageAt(stranger, 3))).to.equal(77n)
  })

  it('setBlockGasLimit', async () => {
    const before = await ethers.provider.getBlock('latest')
    await helpers.setBlockGasLimit(20_000_000)
    await helpers.mine()
    expect((await ethers.provider.getBlock('latest')).gasLimit).to.equal(20_000_000n)
    await helpers.setBlockGasLimit(before.gasLimit)
    await helpers.mine()
  })

  it('setCoinbase', async () => {
    const coinbase = '0x00000000000000000000000000000000000000cb'
    await helpers.setCoinbase(coinbase)
    await helpers.mine()
    expect((await ethers.provider.getBlock('latest')).miner.toLowerCase()).to.equal(coinbase)
  })

  it('setNextBlockBaseFeePerGas', async () => {
    await helpers.setNextBlockBaseFeePerGas(12_345_678)
    await helpers.mine()
    expect((await ethers.provider.getBlock('latest')).baseFeePerGas).to.equal(12_345_678n)
  })

  it('setPrevRandao', async () => {
    await helpers.setPrevRandao(1234)
    await helpers.mine()
    const { mixHash } = await ethers.provider.send('eth_getBlockByNumber', ['latest', false])
    expect(BigInt(mixHash)).to.equal(1234n)
  })

  it('dropTransaction', async () => {
    const [, , , sender] = await ethers.getSigners()
    const nonce = await sender.getNonce()
    const gap = await sender.sendTransaction({ to: stranger, nonce: nonce + 2, gasLimit: 21_000n })
    expect(await helpers.dropTransaction(gap.hash)).to.equal(true)
    expect(await ethers.provider.getTransaction(gap.hash)).to.equal(null)
  })

  it('impersonateAccount and stopImpersonatingAccount', async () => {
    const [, other] = await ethers.getSigners()
    await helpers.setBalance(stranger, 10n ** 18n)
    await helpers.impersonateAccount(stranger)
    const signer = await ethers.getSigner(stranger)
    await (await signer.sendTransaction({ to: other.address, value: 1n })).wait()
    await helpers.stopImpersonatingAccount(stranger)
    await expect(signer.sendTransaction({ to: other.address, value: 1n })).to.be.rejected
  })

  it('takeSnapshot', async () => {
    const before = await height()
    const snapshot = await helpers.takeSnapshot()
    await helpers.mine(4)
    await snapshot.restore()
    expect(await height()).to.equal(before)
    await helpers.mine()
    await snapshot.restore()
    expect(await height()).to.equal(before)
  })

  it('loadFixture and clearSnapshots', async () => {
    let runs = 0
    const fixture = async () => {
      runs++
      await helpers.mine(2)
      return height()
    }
    const first = await helpers.loadFixture(fixture)
    await helpers.mine(3)
    expect(await helpers.loadFixture(fixture)).to.equal(first)
    expect(await height()).to.equal(first)
    expect(runs).to.equal(1)
    helpers.clearSnapshots()
    await helpers.loadFixture(fixture)
    expect(runs).to.equal(2)
  })

  it('time.increase', async () => {
    const before = await time.latest()
    await time.increase(1000)
    expect(await time.latest()).to.be.at.least(before + 1000)
  })

  it('time.increaseTo', async () => {
    const wanted = (await time.latest()) + 5000
    await time.increaseTo(wanted)
    expect(await time.latest()).to.equal(wanted)
  })

  it('time.setNextBlockTimestamp', async () => {
    const wanted = (await time.latest()) + 60
    await time.setNextBlockTimestamp(wanted)
    await helpers.mine()
    expect(await time.latest()).to.equal(wanted)
  })

  it('time.duration', () => {
    expect(time.duration.days(1)).to.equal(86_400)
  })
})
