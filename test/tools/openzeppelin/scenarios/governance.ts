import { encodeFunctionData, keccak256, stringToHex, zeroAddress, zeroHash } from 'viem'
import type { Exercise } from '../exercise.ts'
import { accessBegins } from './access.ts'

const start = accessBegins + 10_000_000

/** Votes and a governor, which count blocks; a timelock and a vesting wallet, which count seconds. */
export const exerciseGovernance = async (run: Exercise): Promise<void> => {
  const [owner, alice, bob] = [run.account(0), run.account(1), run.account(2)]
  const coin = await run.deploy('VotingCoin')
  await run.sends(coin, 'transfer', [alice, 60n], [['Transfer', owner, alice, 60n]])
  await run.reads(coin, 'getVotes', [alice], 0n)
  await run.sends(
    coin,
    'delegate',
    [alice],
    [
      ['DelegateChanged', alice, zeroAddress, alice],
      ['DelegateVotesChanged', alice, 0n, 60n],
    ],
    { from: alice },
  )
  await run.sends(
    coin,
    'delegate',
    [owner],
    [
      ['DelegateChanged', owner, zeroAddress, owner],
      ['DelegateVotesChanged', owner, 0n, 40n],
    ],
  )
  await run.reads(coin, 'getVotes', [alice], 60n)
  await run.reads(coin, 'delegates', [alice], alice)
  await run.reads(coin, 'numCheckpoints', [owner], 1)
  await run.reads(coin, 'CLOCK_MODE', [], 'mode=blocknumber&from=default')

  const council = await run.deploy('Council', [coin.address])
  const transfer = encodeFunctionData({ abi: coin.abi, functionName: 'transfer', args: [bob, 5n] })
  const proposal = [[coin.address], [0n], [transfer]] as const
  const described = 'pay bob'
  const hash = keccak256(stringToHex(described))
  const data = encodeFunctionData({
    abi: council.abi,
    functionName: 'hashProposal',
    args: [...proposal, hash],
  })
  const id = BigInt(await run.require<string>('eth_call', { to: council.address, data }, 'latest'))
  await run.fails(council, 'state', [id], ['GovernorNonexistentProposal', id])
  const now = Number(await run.require<string>('eth_blockNumber'))
  await run.sends(
    council,
    'propose',
    [...proposal, described],
    [
      [
        'ProposalCreated',
        id,
        owner,
        [coin.address],
        [0n],
        [''],
        [transfer],
        BigInt(now + 1 + 2),
        BigInt(now + 1 + 2 + 5),
        described,
      ],
    ],
  )
  await run.reads(council, 'state', [id], 0)
  const early = [id, 0, `0x${'0'.repeat(62)}02`]
  await run.fails(
    council,
    'castVote',
    [id, 1],
    ['GovernorUnexpectedProposalState', ...early.slice(0, 2), early[2]],
  )
  await run.mine(2)
  await run.sends(council, 'castVote', [id, 1], [['VoteCast', alice, id, 1, 60n, '']], { from: alice })
  await run.fails(council, 'castVote', [id, 1], ['GovernorAlreadyCastVote', alice], { from: alice })
  await run.sends(council, 'castVoteWithReason', [id, 0, 'no'], [['VoteCast', owner, id, 0, 40n, 'no']])
  await run.reads(council, 'proposalVotes', [id], [40n, 60n, 0n])
  await run.reads(council, 'hasVoted', [id, bob], false)
  await run.mine(5)
  await run.reads(council, 'state', [id], 4)
  await run.sends(
    coin,
    'transfer',
    [council.address, 10n],
    [
      ['Transfer', alice, council.address, 10n],
      ['DelegateVotesChanged', alice, 60n, 50n],
    ],
    { from: alice },
  )
  await run.sends(
    council,
    'execute',
    [...proposal, hash],
    [
      ['Transfer', council.address, bob, 5n],
      ['ProposalExecuted', id],
    ],
  )
  await run.reads(council, 'state', [id], 7)
  await run.reads(coin, 'balanceOf', [bob], 5n)
  await run.reads(coin, 'getPastVotes', [alice, BigInt(now)], 60n)

  const lock = await run.deploy('Lock', [[owner], [alice], owner])
  const call = [coin.address, 0n, transfer, zeroHash, zeroHash] as const
  const hashData = encodeFunctionData({ abi: lock.abi, functionName: 'hashOperation', args: call })
  const operation = await run.require<string>('eth_call', { to: lock.address, data: hashData }, 'latest')
  await run.reads(lock, 'getMinDelay', [], 3600n)
  await run.fails(lock, 'schedule', [...call, 10n], ['TimelockInsufficientDelay', 10n, 3600n])
  await run.atTime(start)
  await run.sends(
    lock,
    'schedule',
    [...call, 3600n],
    [['CallScheduled', operation, 0n, coin.address, 0n, transfer, zeroHash, 3600n]],
  )
  await run.reads(lock, 'getTimestamp', [operation], BigInt(start + 3600))
  await run.reads(lock, 'isOperationPending', [operation], true)
  await run.reads(lock, 'isOperationReady', [operation], false)
  await run.atTime(start + 3600)
  await run.sends(
    coin,
    'transfer',
    [lock.address, 5n],
    [
      ['Transfer', owner, lock.address, 5n],
      ['DelegateVotesChanged', owner, 40n, 35n],
    ],
  )
  await run.sends(
    lock,
    'execute',
    call,
    [
      ['Transfer', lock.address, bob, 5n],
      ['CallExecuted', operation, 0n, coin.address, 0n, transfer],
    ],
    { from: alice },
  )
  await run.reads(lock, 'isOperationDone', [operation], true)

  const begins = start + 100_000
  const vesting = await run.deploy('Vesting', [bob, BigInt(begins), 1000n], { value: 10_000n })
  await run.reads(vesting, 'end', [], BigInt(begins + 1000))
  await run.reads(vesting, 'vestedAmount', [BigInt(begins - 1)], 0n)
  await run.reads(vesting, 'vestedAmount', [BigInt(begins + 250)], 2500n)
  await run.atTime(begins + 500)
  await run.sends(vesting, 'release', [], [['EtherReleased', 5000n]])
  await run.reads(vesting, 'released', [], 5000n)
  await run.pays(vesting, 2000n, [])
  await run.reads(vesting, 'vestedAmount', [BigInt(begins + 1000)], 12_000n)
}
