const { expect } = require('chai')
const { ethers, network } = require('hardhat')
const helpers = require('@nomicfoundation/hardhat-network-helpers')

const day = 24 * 60 * 60

describe('Vault', () => {
  const deploy = async () => {
    const [owner, other] = await ethers.getSigners()
    const { timestamp } = await ethers.provider.getBlock('latest')
    const vault = await ethers.deployContract('Vault', [timestamp + day], { value: 5n })
    return { vault, owner, other, unlockTime: BigInt(timestamp + day) }
  }

  it('is deployed with what it was given', async () => {
    const { vault, unlockTime } = await deploy()
    expect(await vault.unlockTime()).to.equal(unlockTime)
    expect(await ethers.provider.getBalance(vault)).to.equal(5n)
  })

  it('emits and changes balances', async () => {
    const { vault, other } = await deploy()
    await expect(vault.connect(other).deposit({ value: 7n }))
      .to.emit(vault, 'Deposit')
      .withArgs(other.address, 7n)
    await expect(vault.connect(other).deposit({ value: 3n })).to.changeEtherBalances(
      [other, vault],
      [-3n, 3n],
    )
    expect(await vault.balanceOf(other)).to.equal(10n)
  })

  it('tells why it reverts', async () => {
    const { vault, unlockTime } = await deploy()
    await expect(vault.deposit()).to.be.revertedWith('nothing sent')
    await expect(vault.withdraw())
      .to.be.revertedWithCustomError(vault, 'TooEarly')
      .withArgs(() => true, unlockTime)
    await expect(vault.boom.staticCall()).to.be.revertedWithPanic(0x01)
    await expect(vault.deposit({ value: 1n })).not.to.be.reverted
    await expect(vault.deposit({ gasLimit: 100_000n })).to.be.revertedWith('nothing sent')
    await expect(vault.withdraw({ gasLimit: 100_000n })).to.be.revertedWithCustomError(vault, 'TooEarly')
  })

  it('signs messages and typed data with the accounts of the node', async () => {
    const [signer] = await ethers.getSigners()
    expect(ethers.verifyMessage('hello', await signer.signMessage('hello'))).to.equal(signer.address)
    const types = { Mail: [{ name: 'to', type: 'address' }] }
    const value = { to: signer.address }
    const signature = await signer.signTypedData({ name: 'a' }, types, value)
    expect(ethers.verifyTypedData({ name: 'a' }, types, value, signature)).to.equal(signer.address)
  })

  it('sends many at once, and what waits holds up nobody', async () => {
    const [, , sender] = await ethers.getSigners()
    const nonce = await sender.getNonce()
    const sends = Array.from({ length: 8 }, () => sender.sendTransaction({ to: sender.address, value: 1n }))
    const sent = await Promise.all(sends)
    expect(sent.map((each) => each.nonce).sort((a, b) => a - b)).to.deep.equal(
      sent.map((_, index) => nonce + index),
    )
    const gap = await sender.sendTransaction({ to: sender.address, nonce: nonce + 10 })
    expect((await ethers.provider.getTransaction(gap.hash)).blockNumber).to.equal(null)
    const [other] = await ethers.getSigners()
    await (await other.sendTransaction({ to: sender.address, value: 1n })).wait()
  })

  describe('with the network helpers', () => {
    before(async function () {
      const isMissing = await network.provider.send('evm_snapshot', []).then(
        () => false,
        () => true,
      )
      if (isMissing) this.skip()
    })

    it('loads a fixture, moves time, impersonates', async () => {
      const { vault, owner } = await helpers.loadFixture(deploy)
      await vault.deposit({ value: 2n })
      await helpers.time.increase(day)
      await expect(vault.withdraw()).to.changeEtherBalance(owner, 2n)
      const whale = '0x00000000000000000000000000000000000000aa'
      await helpers.impersonateAccount(whale)
      await helpers.setBalance(whale, 10n ** 18n)
      await vault.connect(await ethers.getSigner(whale)).deposit({ value: 4n })
      expect(await vault.balanceOf(whale)).to.equal(4n)
      const again = await helpers.loadFixture(deploy)
      expect(await again.vault.balanceOf(whale)).to.equal(0n)
    })
  })
})
