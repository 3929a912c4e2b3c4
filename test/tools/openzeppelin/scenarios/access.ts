import { zeroAddress, zeroHash } from 'viem'
import type { Exercise } from '../exercise.ts'

/** The time at which the steps that depend on time begin. */
export const accessBegins = 2_000_000_000

/** Owners, roles with a delay, and the guard against reentrancy. */
export const exerciseAccess = async (run: Exercise): Promise<void> => {
  const [owner, alice, bob] = [run.account(0), run.account(1), run.account(2)]
  const owned = await run.deploy('Owned', [owner])
  await run.reads(owned, 'owner', [], owner)
  await run.sends(owned, 'set', [5n], [])
  await run.reads(owned, 'value', [], 5n)
  await run.fails(owned, 'set', [6n], ['OwnableUnauthorizedAccount', alice], { from: alice })
  await run.sends(owned, 'transferOwnership', [alice], [['OwnershipTransferStarted', owner, alice]])
  await run.reads(owned, 'pendingOwner', [], alice)
  await run.fails(owned, 'acceptOwnership', [], ['OwnableUnauthorizedAccount', bob], { from: bob })
  await run.sends(owned, 'acceptOwnership', [], [['OwnershipTransferred', owner, alice]], { from: alice })
  await run.sends(owned, 'renounceOwnership', [], [['OwnershipTransferred', alice, zeroAddress]], {
    from: alice,
  })
  await run.reads(owned, 'owner', [], zeroAddress)

  await run.atTime(accessBegins)
  const ruled = await run.deploy('Ruled', [owner])
  await run.reads(ruled, 'defaultAdmin', [], owner)
  await run.reads(ruled, 'defaultAdminDelay', [], 86_400)
  await run.fails(ruled, 'grantRole', [zeroHash, alice], ['AccessControlEnforcedDefaultAdminRules'])
  await run.atTime(accessBegins + 100)
  const schedule = accessBegins + 100 + 86_400
  await run.sends(
    ruled,
    'beginDefaultAdminTransfer',
    [alice],
    [['DefaultAdminTransferScheduled', alice, schedule]],
  )
  await run.reads(ruled, 'pendingDefaultAdmin', [], [alice, schedule])
  await run.fails(
    ruled,
    'acceptDefaultAdminTransfer',
    [],
    ['AccessControlEnforcedDefaultAdminDelay', schedule],
    {
      from: alice,
    },
  )
  await run.fails(ruled, 'acceptDefaultAdminTransfer', [], ['AccessControlInvalidDefaultAdmin', bob], {
    from: bob,
  })
  await run.atTime(schedule + 1)
  await run.sends(
    ruled,
    'acceptDefaultAdminTransfer',
    [],
    [
      ['RoleRevoked', zeroHash, owner, alice],
      ['RoleGranted', zeroHash, alice, alice],
    ],
    { from: alice },
  )
  await run.reads(ruled, 'owner', [], alice)

  const guarded = await run.deploy('Guarded')
  await run.sends(guarded, 'enter', [0n], [])
  await run.fails(guarded, 'enter', [1n], ['ReentrancyGuardReentrantCall'])
  await run.reads(guarded, 'depth', [], 1n)
}
