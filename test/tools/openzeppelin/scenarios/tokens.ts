import { hexToSignature, keccak256, maxUint256, stringToHex, zeroAddress, zeroHash } from 'viem'
import type { Contract, Exercise } from '../exercise.ts'

const minter = keccak256(stringToHex('MINTER'))

/** ERC-20 with roles, a cap, a pause, burning and permits. */
export const exerciseCoin = async (run: Exercise): Promise<void> => {
  const [admin, alice, bob] = [run.account(0), run.account(1), run.account(2)]
  const coin = await run.deploy('Coin', [admin])
  await run.reads(coin, 'name', [], 'Coin')
  await run.reads(coin, 'symbol', [], 'COIN')
  await run.reads(coin, 'decimals', [], 18)
  await run.reads(coin, 'totalSupply', [], 500n)
  await run.reads(coin, 'cap', [], 1000n)
  await run.reads(coin, 'balanceOf', [admin], 500n)
  await run.sends(coin, 'transfer', [alice, 100n], [['Transfer', admin, alice, 100n]])
  await run.reads(coin, 'balanceOf', [alice], 100n)
  await run.fails(coin, 'transfer', [bob, 1n], ['ERC20InsufficientBalance', bob, 0n, 1n], { from: bob })
  await run.fails(coin, 'transfer', [zeroAddress, 1n], ['ERC20InvalidReceiver', zeroAddress])
  await run.sends(coin, 'approve', [bob, 30n], [['Approval', alice, bob, 30n]], { from: alice })
  await run.reads(coin, 'allowance', [alice, bob], 30n)
  const take = [alice, bob, 10n]
  await run.sends(coin, 'transferFrom', take, [['Transfer', alice, bob, 10n]], { from: bob })
  await run.reads(coin, 'allowance', [alice, bob], 20n)
  await run.fails(coin, 'transferFrom', [alice, bob, 21n], ['ERC20InsufficientAllowance', bob, 20n, 21n], {
    from: bob,
  })
  await run.fails(coin, 'approve', [zeroAddress, 1n], ['ERC20InvalidSpender', zeroAddress])
  // An allowance without an end is not used up.
  await run.sends(coin, 'approve', [bob, maxUint256], [['Approval', alice, bob, maxUint256]], { from: alice })
  await run.sends(coin, 'transferFrom', take, [['Transfer', alice, bob, 10n]], { from: bob })
  await run.reads(coin, 'allowance', [alice, bob], maxUint256)

  await run.reads(coin, 'hasRole', [zeroHash, admin], true)
  await run.reads(coin, 'MINTER', [], minter)
  await run.fails(coin, 'mint', [alice, 1n], ['AccessControlUnauthorizedAccount', alice, minter], {
    from: alice,
  })
  await run.sends(coin, 'grantRole', [minter, alice], [['RoleGranted', minter, alice, admin]])
  await run.sends(coin, 'grantRole', [minter, alice], [])
  await run.sends(coin, 'mint', [bob, 400n], [['Transfer', zeroAddress, bob, 400n]], { from: alice })
  await run.fails(coin, 'mint', [bob, 101n], ['ERC20ExceededCap', 1001n, 1000n], { from: alice })
  await run.fails(coin, 'renounceRole', [minter, alice], ['AccessControlBadConfirmation'])
  await run.sends(coin, 'renounceRole', [minter, alice], [['RoleRevoked', minter, alice, alice]], {
    from: alice,
  })
  await run.reads(coin, 'hasRole', [minter, alice], false)

  await run.sends(coin, 'burn', [20n], [['Transfer', admin, zeroAddress, 20n]])
  await run.sends(coin, 'burnFrom', [alice, 5n], [['Transfer', alice, zeroAddress, 5n]], { from: bob })
  await run.reads(coin, 'totalSupply', [], 875n)
  await run.sends(coin, 'pause', [], [['Paused', admin]])
  await run.fails(coin, 'transfer', [bob, 1n], ['EnforcedPause'])
  await run.fails(coin, 'pause', [], ['EnforcedPause'])
  await run.sends(coin, 'unpause', [], [['Unpaused', admin]])
  await run.fails(coin, 'unpause', [], ['ExpectedPause'])
  await run.reads(coin, 'supportsInterface', ['0x7965db0b'], true)
  await run.reads(coin, 'supportsInterface', ['0xffffffff'], false)
  await exercisePermit(run, coin)
}

/** A permit is signed by the node, as typed data. */
const exercisePermit = async (run: Exercise, coin: Contract): Promise<void> => {
  const [owner, spender] = [run.account(3), run.account(4)]
  const deadline = 10n ** 12n
  const types = {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Permit: ['owner:address', 'spender:address', 'value:uint256', 'nonce:uint256', 'deadline:uint256'].map(
      (one) => {
        const [name, type] = one.split(':')
        return { name, type }
      },
    ),
  }
  const sign = (nonce: number): Promise<`0x${string}`> =>
    run.require('eth_signTypedData_v4', owner, {
      types,
      primaryType: 'Permit',
      domain: { name: 'Coin', version: '1', chainId: run.chainId, verifyingContract: coin.address },
      message: { owner, spender, value: '70', nonce, deadline: deadline.toString() },
    })
  const argsOf = (signature: `0x${string}`, value = 70n): readonly unknown[] => {
    const { r, s, v = 27n } = hexToSignature(signature)
    return [owner, spender, value, deadline, Number(v), r, s]
  }
  const first = argsOf(await sign(0))
  await run.reads(coin, 'nonces', [owner], 0n)
  await run.sends(coin, 'permit', first, [['Approval', owner, spender, 70n]])
  await run.reads(coin, 'allowance', [owner, spender], 70n)
  await run.reads(coin, 'nonces', [owner], 1n)
  const [, , , , v, r, s] = argsOf(await sign(1))
  await run.fails(coin, 'permit', [owner, spender, 70n, 1n, v, r, s], ['ERC2612ExpiredSignature', 1n])
  await run.reads(
    coin,
    'eip712Domain',
    [],
    ['0x0f', 'Coin', '1', BigInt(run.chainId), coin.address, zeroHash, []],
  )
}

/** Flash loans, and a vault over a token. */
export const exerciseFlashAndVault = async (run: Exercise): Promise<void> => {
  const [owner, alice] = [run.account(0), run.account(1)]
  const flash = await run.deploy('FlashCoin')
  const borrower = await run.deploy('Borrower')
  const { address: token } = flash
  await run.reads(flash, 'maxFlashLoan', [token], maxUint256 - 100n)
  await run.reads(flash, 'flashFee', [token, 5n], 0n)
  await run.fails(flash, 'flashFee', [owner, 5n], ['ERC3156UnsupportedToken', owner])
  await run.sends(
    flash,
    'flashLoan',
    [borrower.address, token, 50n, '0x'],
    [
      ['Transfer', zeroAddress, borrower.address, 50n],
      ['Approval', borrower.address, token, 50n],
      ['Transfer', borrower.address, zeroAddress, 50n],
    ],
  )
  await run.reads(borrower, 'seen', [], 50n)
  await run.reads(flash, 'totalSupply', [], 100n)
  await run.sends(borrower, 'setRepays', [false], [])
  await run.fails(
    flash,
    'flashLoan',
    [borrower.address, token, 50n, '0x'],
    ['ERC20InsufficientAllowance', token, 0n, 50n],
  )

  const vault = await run.deploy('Vault', [token])
  await run.reads(vault, 'asset', [], token)
  await run.reads(vault, 'convertToShares', [10n], 10n)
  await run.sends(flash, 'approve', [vault.address, 100n], [['Approval', owner, vault.address, 100n]])
  await run.sends(
    vault,
    'deposit',
    [40n, alice],
    [
      ['Transfer', owner, vault.address, 40n],
      ['Transfer', zeroAddress, alice, 40n],
      ['Deposit', owner, alice, 40n, 40n],
    ],
  )
  await run.reads(vault, 'totalAssets', [], 40n)
  // A gift makes each share worth more.
  await run.sends(flash, 'transfer', [vault.address, 40n], [['Transfer', owner, vault.address, 40n]])
  await run.reads(vault, 'convertToAssets', [10n], 19n)
  await run.reads(vault, 'previewMint', [10n], 20n)
  await run.reads(vault, 'maxWithdraw', [alice], 79n)
  await run.fails(vault, 'withdraw', [80n, alice, alice], ['ERC4626ExceededMaxWithdraw', alice, 80n, 79n], {
    from: alice,
  })
  await run.sends(
    vault,
    'redeem',
    [20n, alice, alice],
    [
      ['Transfer', alice, zeroAddress, 20n],
      ['Transfer', vault.address, alice, 39n],
      ['Withdraw', alice, alice, alice, 39n, 20n],
    ],
    { from: alice },
  )
  await run.reads(flash, 'balanceOf', [alice], 39n)
}

/** ERC-721 and ERC-1155. */
export const exerciseItems = async (run: Exercise): Promise<void> => {
  const [owner, alice, bob] = [run.account(0), run.account(1), run.account(2)]
  const item = await run.deploy('Item')
  const holder = await run.deploy('ItemHolder')
  const metadata = 'MetadataUpdate'
  await run.sends(
    item,
    'mint',
    [alice, 7n, 'ipfs://7'],
    [
      ['Transfer', zeroAddress, alice, 7n],
      [metadata, 7n],
    ],
  )
  await run.sends(
    item,
    'mint',
    [alice, 9n, 'ipfs://9'],
    [
      ['Transfer', zeroAddress, alice, 9n],
      [metadata, 9n],
    ],
  )
  await run.fails(item, 'mint', [alice, 7n, ''], ['ERC721InvalidSender', zeroAddress])
  await run.fails(item, 'mint', [item.address, 8n, ''], ['ERC721InvalidReceiver', item.address])
  await run.reads(item, 'ownerOf', [7n], alice)
  await run.reads(item, 'tokenURI', [9n], 'ipfs://9')
  await run.reads(item, 'totalSupply', [], 2n)
  await run.reads(item, 'tokenByIndex', [1n], 9n)
  await run.reads(item, 'tokenOfOwnerByIndex', [alice, 0n], 7n)
  await run.fails(item, 'tokenOfOwnerByIndex', [alice, 2n], ['ERC721OutOfBoundsIndex', alice, 2n])
  await run.fails(item, 'ownerOf', [1n], ['ERC721NonexistentToken', 1n])
  await run.fails(item, 'transferFrom', [alice, bob, 7n], ['ERC721InsufficientApproval', bob, 7n], {
    from: bob,
  })
  await run.sends(item, 'approve', [bob, 7n], [['Approval', alice, bob, 7n]], { from: alice })
  await run.reads(item, 'getApproved', [7n], bob)
  await run.sends(item, 'transferFrom', [alice, bob, 7n], [['Transfer', alice, bob, 7n]], { from: bob })
  await run.reads(item, 'getApproved', [7n], zeroAddress)
  await run.sends(item, 'setApprovalForAll', [owner, true], [['ApprovalForAll', bob, owner, true]], {
    from: bob,
  })
  await run.sends(
    item,
    'safeTransferFrom',
    [bob, holder.address, 7n, '0xbeef'],
    [['Transfer', bob, holder.address, 7n]],
  )
  await run.reads(holder, 'last', [], '0xbeef')
  await run.sends(item, 'burn', [9n], [['Transfer', alice, zeroAddress, 9n]], { from: alice })
  await run.reads(item, 'balanceOf', [alice], 0n)
  await run.fails(item, 'tokenURI', [9n], ['ERC721NonexistentToken', 9n])
  await run.reads(item, 'supportsInterface', ['0x780e9d63'], true)

  const goods = await run.deploy('Goods')
  const keeper = await run.deploy('GoodsHolder')
  await run.reads(goods, 'uri', [1n], 'https://goods/{id}.json')
  await run.reads(
    goods,
    'balanceOfBatch',
    [
      [owner, owner, alice],
      [1n, 2n, 1n],
    ],
    [100n, 1n, 0n],
  )
  await run.sends(
    goods,
    'safeTransferFrom',
    [owner, alice, 1n, 25n, '0x'],
    [['TransferSingle', owner, owner, alice, 1n, 25n]],
  )
  await run.sends(
    goods,
    'safeBatchTransferFrom',
    [owner, keeper.address, [1n, 2n], [5n, 1n], '0x01'],
    [['TransferBatch', owner, owner, keeper.address, [1n, 2n], [5n, 1n]]],
  )
  await run.reads(goods, 'balanceOf', [keeper.address, 2n], 1n)
  await run.fails(
    goods,
    'safeTransferFrom',
    [alice, bob, 1n, 1n, '0x'],
    ['ERC1155MissingApprovalForAll', bob, alice],
    { from: bob },
  )
  await run.fails(
    goods,
    'safeTransferFrom',
    [owner, alice, 1n, 71n, '0x'],
    ['ERC1155InsufficientBalance', owner, 70n, 71n, 1n],
  )
  await run.fails(goods, 'balanceOfBatch', [[owner], []], ['ERC1155InvalidArrayLength', 0n, 1n])
  await run.fails(
    goods,
    'safeTransferFrom',
    [owner, goods.address, 1n, 1n, '0x'],
    ['ERC1155InvalidReceiver', goods.address],
  )
  await run.sends(goods, 'burn', [alice, 1n, 25n], [['TransferSingle', owner, alice, zeroAddress, 1n, 25n]])
  await run.reads(goods, 'totalSupply', [1n], 75n)
  await run.reads(goods, 'exists', [3n], false)
}
