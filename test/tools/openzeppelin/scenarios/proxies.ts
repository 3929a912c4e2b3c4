import { type Address, encodeFunctionData, getAddress, pad, toHex, zeroHash } from 'viem'
import type { Exercise } from '../exercise.ts'

/** The slots of ERC-1967. */
const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
const adminSlot = '0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103'

/** Proxies of every kind, and clones. */
export const exerciseProxies = async (run: Exercise): Promise<void> => {
  const [owner, alice] = [run.account(0), run.account(1)]
  const one = await run.deploy('CounterOne')
  const two = await run.deploy('CounterTwo')
  const plain = await run.deploy('Plain')
  const initialize = encodeFunctionData({ abi: one.abi, functionName: 'initialize', args: [owner, 3n] })
  const readAddress = async (at: Address, slot: string): Promise<Address> =>
    getAddress(`0x${(await run.require<string>('eth_getStorageAt', at, slot, 'latest')).slice(-40)}`)

  await run.fails(one, 'initialize', [owner, 1n], ['InvalidInitialization'])
  const uups = await run.deploy('ERC1967Proxy', [one.address, initialize])
  const counter = run.at('CounterTwo', uups.address)
  await run.reads(counter, 'count', [], 3n)
  await run.reads(counter, 'version', [], 'one')
  await run.sends(counter, 'increase', [], [])
  await run.reads(counter, 'count', [], 4n)
  await run.fails(counter, 'initialize', [owner, 1n], ['InvalidInitialization'])
  await run.holds('the implementation', one.address, readAddress(uups.address, implementationSlot))
  await run.fails(counter, 'upgradeToAndCall', [two.address, '0x'], ['NotOwner', alice], { from: alice })
  await run.fails(
    counter,
    'upgradeToAndCall',
    [plain.address, '0x'],
    ['ERC1967InvalidImplementation', plain.address],
  )
  await run.fails(one, 'upgradeToAndCall', [two.address, '0x'], ['UUPSUnauthorizedCallContext'])
  const migrate = encodeFunctionData({ abi: two.abi, functionName: 'migrate', args: [50n] })
  await run.sends(
    counter,
    'upgradeToAndCall',
    [two.address, migrate],
    [
      ['Upgraded', two.address],
      ['Initialized', 2n],
    ],
  )
  await run.reads(counter, 'version', [], 'two')
  await run.sends(counter, 'increase', [], [])
  await run.reads(counter, 'count', [], 60n)
  await run.fails(counter, 'migrate', [1n], ['InvalidInitialization'])

  const transparent = await run.deploy('TransparentUpgradeableProxy', [one.address, owner, initialize])
  const behind = run.at('CounterTwo', transparent.address)
  await run.reads(behind, 'count', [], 3n)
  const admin = run.at('ProxyAdmin', await readAddress(transparent.address, adminSlot))
  await run.reads(admin, 'owner', [], owner)
  await run.fails(
    admin,
    'upgradeAndCall',
    [transparent.address, two.address, '0x'],
    ['OwnableUnauthorizedAccount', alice],
    { from: alice },
  )
  await run.sends(
    admin,
    'upgradeAndCall',
    [transparent.address, two.address, '0x'],
    [['Upgraded', two.address]],
  )
  await run.reads(behind, 'version', [], 'two')

  const beacon = await run.deploy('UpgradeableBeacon', [plain.address, owner])
  const proxies = [
    await run.deploy('BeaconProxy', [beacon.address, '0x']),
    await run.deploy('BeaconProxy', [beacon.address, '0x']),
  ]
  for (const { address } of proxies) await run.sends(run.at('Plain', address), 'increase', [], [])
  await run.reads(beacon, 'implementation', [], plain.address)
  await run.sends(beacon, 'upgradeTo', [two.address], [['Upgraded', two.address]])
  for (const { address } of proxies) await run.reads(run.at('CounterTwo', address), 'version', [], 'two')
  await run.fails(beacon, 'upgradeTo', [run.account(5)], ['BeaconInvalidImplementation', run.account(5)])

  const cloner = await run.deploy('Cloner')
  const salt = pad(toHex(7))
  const data = encodeFunctionData({ abi: cloner.abi, functionName: 'predict', args: [plain.address, salt] })
  const predicted = await run.require<string>('eth_call', { to: cloner.address, data }, 'latest')
  const clone = getAddress(`0x${predicted.slice(-40)}`)
  await run.sends(cloner, 'clone', [plain.address, salt], [['Cloned', clone]])
  await run.sends(run.at('Plain', clone), 'increase', [], [])
  await run.reads(run.at('Plain', clone), 'count', [], 1n)
  await run.reads(plain, 'count', [], 0n)
  await run.fails(cloner, 'clone', [plain.address, salt], ['FailedDeployment'])
  const size = run.require<string>('eth_getCode', clone, 'latest').then((code) => (code.length - 2) / 2)
  await run.holds('the size of a clone', 45, size)
  await run.holds(
    'an empty slot',
    zeroHash,
    run.require<string>('eth_getStorageAt', plain.address, '0x5', 'latest'),
  )
}
