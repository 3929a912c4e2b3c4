import { expect } from 'chai'
import { network } from 'hardhat'
import SafeModule from '../ignition/modules/safe.mjs'

const { ethers, ignition, networkHelpers: helpers } = await network.create()
const day = 24 * 60 * 60

describe('Safe', () => {
  const deploy = async () => {
    const [owner, other] = await ethers.getSigners()
    const opensAt = (await helpers.time.latest()) + day
    const safe = await ethers.deployContract('Safe', [opensAt], { value: 5n })
    return { safe, owner, other, opensAt: BigInt(opensAt) }
  }

  it('is deployed with what it was given', async () => {
    const { safe, opensAt } = await helpers.loadFixture(deploy)
    expect(await safe.opensAt()).to.equal(opensAt)
    expect(await ethers.provider.getBalance(safe)).to.equal(5n)
  })

  it('emits and changes balances', async () => {
    const { safe, other } = await helpers.loadFixture(deploy)
    await expect(safe.connect(other).deposit({ value: 7n }))
      .to.emit(safe, 'Deposit')
      .withArgs(other.address, 7n)
    await expect(safe.connect(other).deposit({ value: 3n })).to.changeEtherBalances(
      ethers,
      [other, safe],
      [-3n, 3n],
    )
    expect(await safe.balanceOf(other)).to.equal(10n)
  })

  it('tells why it reverts', async () => {
    const { safe, opensAt } = await helpers.loadFixture(deploy)
    await expect(safe.deposit()).to.be.revertedWith('nothing sent')
    await expect(safe.deposit({ gasLimit: 100_000n })).to.be.revertedWith('nothing sent')
    await expect(safe.withdraw())
      .to.be.revertedWithCustomError(safe, 'TooEarly')
      .withArgs(() => true, opensAt)
    await expect(safe.withdraw({ gasLimit: 100_000n })).to.be.revertedWithCustomError(safe, 'TooEarly')
    await expect(safe.overflow(ethers.MaxUint256)).to.be.revertedWithPanic(0x11)
    await expect(safe.deposit()).to.be.revert(ethers)
    await expect(safe.deposit({ value: 1n })).not.to.be.revert(ethers)
  })

  it('opens in time, also for those who are impersonated', async () => {
    const { safe, owner } = await helpers.loadFixture(deploy)
    await safe.deposit({ value: 2n })
    await helpers.time.increase(day)
    await expect(safe.withdraw()).to.changeEtherBalance(ethers, owner, 2n)
    const whale = '0x00000000000000000000000000000000000000aa'
    await helpers.impersonateAccount(whale)
    await helpers.setBalance(whale, 10n ** 18n)
    await safe.connect(await ethers.getSigner(whale)).deposit({ value: 4n })
    expect(await safe.balanceOf(whale)).to.equal(4n)
  })

  it('is deployed by Ignition', async () => {
    const { safe } = await ignition.deploy(SafeModule)
    expect(await safe.opensAt()).to.equal(4_000_000_000n)
    const [owner] = await ethers.getSigners()
    expect(await safe.balanceOf(owner.address)).to.equal(7n)
  })
})
