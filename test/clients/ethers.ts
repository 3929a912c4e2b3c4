import assert from 'node:assert/strict'
import {
  AbiCoder,
  type BaseContract,
  Contract,
  ContractFactory,
  concat,
  type InterfaceAbi,
  isCallException,
  JsonRpcProvider,
  keccak256,
  type TransactionReceipt,
  type TransactionRequest,
  Wallet,
  WebSocketProvider,
} from 'ethers'
import { verifyProof } from '../support/verifier/proofs.ts'
import type { Materials } from './materials.ts'
import type { Target } from './target.ts'
import { balancesSlot, supply } from './token.ts'

const costOf = (receipt: TransactionReceipt): bigint =>
  receipt.fee + (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n)

/** Deploys, sends every type of transaction and reads everything back with ethers. */
export const checkEthers = async (target: Target, { token, blob }: Materials): Promise<void> => {
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 50 }
  const provider = new JsonRpcProvider(target.httpUrl, target.chainId, options)
  const wallet = new Wallet(target.privateKey, provider)
  const friend = Wallet.createRandom(provider)
  const rpc = <T>(method: string, ...params: unknown[]): Promise<T> => provider.send(method, params)

  const balanceBefore = await provider.getBalance(wallet.address)
  const nonceBefore = await provider.getTransactionCount(wallet.address)
  const receipts: TransactionReceipt[] = []
  const keep = (receipt: TransactionReceipt | null, type: number): TransactionReceipt => {
    assert.ok(receipt)
    assert.deepEqual([receipt.status, receipt.type, receipt.from], [1, type, wallet.address])
    receipts.push(receipt)
    return receipt
  }
  const send = async (request: TransactionRequest, type: number): Promise<TransactionReceipt> =>
    keep(await (await wallet.sendTransaction(request)).wait(), type)

  // The contract.
  const factory = new ContractFactory(token.abi as InterfaceAbi, token.bytecode, wallet)
  const deployed: BaseContract = await factory.deploy(supply)
  keep((await deployed.deploymentTransaction()?.wait()) ?? null, 2)
  const address = await deployed.getAddress()
  const contract = new Contract(address, token.abi as InterfaceAbi, wallet)
  assert.equal(await provider.getCode(address), token.runtime)
  const read = (name: string, ...args: unknown[]): Promise<unknown> => contract.getFunction(name)(...args)
  assert.deepEqual(
    [await read('name'), await read('symbol'), await read('decimals'), await read('totalSupply')],
    ['Perihelion Test', 'PTEST', 18n, supply],
  )
  const transferData = (value: bigint): string =>
    contract.interface.encodeFunctionData('transfer', [friend.address, value])

  // Every type.
  const { gasPrice } = await provider.getFeeData()
  await send({ type: 0, gasPrice, to: friend.address, value: 7n }, 0)
  const { accessList } = await rpc<{ accessList: TransactionRequest['accessList'] }>('eth_createAccessList', {
    from: wallet.address,
    to: address,
    data: transferData(1n),
  })
  await send({ type: 1, gasPrice, to: address, data: transferData(1n), accessList: accessList ?? [] }, 1)
  const gas = await contract.getFunction('transfer').estimateGas(friend.address, 10n)
  const dynamic = keep(await (await contract.getFunction('transfer')(friend.address, 10n)).wait(), 2)
  assert.ok(dynamic.gasUsed <= gas)
  const authority = Wallet.createRandom(provider)
  const authorization = await authority.authorize({ address, nonce: 0, chainId: target.chainId })
  const data = contract.interface.encodeFunctionData('totalSupply')
  await send({ type: 4, to: authority.address, data, authorizationList: [authorization] }, 4)
  assert.equal(await provider.getCode(authority.address), concat(['0xef0100', address]))
  assert.equal(await provider.getTransactionCount(authority.address), 1)

  const blobRequest: TransactionRequest = {
    type: 3,
    to: friend.address,
    gasLimit: 21_000n,
    maxFeePerBlobGas: BigInt(await rpc<string>('eth_blobBaseFee')) * 2n,
    blobWrapperVersion: 1,
    blobs: [{ data: blob.blob, commitment: blob.commitment, proof: concat(blob.cellProofs) }],
  }
  if (target.takesBlobs) {
    const receipt = await send(blobRequest, 3)
    assert.equal(receipt.blobGasUsed, 131_072n)
    const sent = await provider.getTransaction(receipt.hash)
    assert.deepEqual(sent?.blobVersionedHashes, [blob.versionedHash])
  } else await assert.rejects(wallet.sendTransaction(blobRequest))

  // Confirmations: a transaction after it makes sure that there is a block after it.
  const first = await contract.getFunction('approve')(friend.address, 5n)
  const waiting = first.wait(2)
  await send({ to: friend.address, value: 3n }, 2)
  const approval = keep(await waiting, 2)
  assert.ok((await approval.confirmations()) >= 2)

  // Events.
  const logs = receipts.flatMap((receipt) => receipt.logs).toSorted((a, b) => a.blockNumber - b.blockNumber)
  const events = logs.map((log) => contract.interface.parseLog(log))
  assert.deepEqual(
    events.map((event) => [event?.name, event?.args.getValue('value')]),
    [
      ['Transfer', supply],
      ['Transfer', 1n],
      ['Transfer', 10n],
      ['Approval', 5n],
    ],
  )

  const found = await contract.queryFilter('*', receipts[0]?.blockNumber)
  assert.deepEqual(
    found.map(({ transactionHash, index }) => [transactionHash, index]),
    logs.map(({ transactionHash, index }) => [transactionHash, index]),
  )

  // What there is now.
  const head = await provider.getBlock('latest')
  assert.ok(head)
  const costs = receipts.reduce((sum, receipt) => sum + costOf(receipt), 0n)
  assert.equal(await provider.getBalance(wallet.address, head.number), balanceBefore - costs - 10n)
  assert.equal(await provider.getBalance(friend.address, head.number), 10n)
  assert.equal(await provider.getTransactionCount(wallet.address, head.number), nonceBefore + receipts.length)
  assert.equal(await read('balanceOf', friend.address), 11n)
  assert.equal(await read('allowance', wallet.address, friend.address), 5n)
  const slot = keccak256(
    AbiCoder.defaultAbiCoder().encode(['address', 'uint256'], [friend.address, balancesSlot]),
  )
  assert.equal(BigInt(await provider.getStorage(address, slot, head.number)), 11n)
  await verifyProof(rpc, address, [slot], `0x${head.number.toString(16)}`)

  // Blocks and transactions agree, by each way to them.
  for (const { hash, blockHash, blockNumber, index } of receipts) {
    const block = await provider.getBlock(blockHash, true)
    assert.equal(block?.number, blockNumber)
    const transaction = await provider.getTransaction(hash)
    assert.deepEqual(block?.getPrefetchedTransaction(hash)?.toJSON(), transaction?.toJSON())
    assert.equal((await block?.getTransaction(index))?.hash, hash)
    assert.equal((await provider.getTransactionReceipt(hash))?.blockHash, blockHash)
    assert.equal(transaction?.from, wallet.address)
  }

  // Fees: ethers has no call for the history.
  const history = await rpc<{ baseFeePerGas: string[]; reward: string[][] }>(
    'eth_feeHistory',
    '0x4',
    `0x${head.number.toString(16)}`,
    [10, 90],
  )
  assert.deepEqual([history.baseFeePerGas.length, history.reward.length], [5, 4])
  assert.equal(BigInt(history.baseFeePerGas[3] ?? 0), head.baseFeePerGas)

  // Errors say why.
  const poor = contract.connect(friend) as Contract
  const refusal = await poor
    .getFunction('transfer')
    .staticCall(friend.address, 12n)
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  assert.ok(isCallException(refusal as Error))
  const { revert } = refusal as { revert: { name: string; args: Iterable<unknown> } }
  assert.deepEqual([revert.name, [...revert.args]], ['BalanceTooLow', [11n, 12n]])

  // The other transport gives the same.
  const socket = new WebSocketProvider(target.wsUrl, target.chainId, options)
  assert.equal((await socket.getBlock(head.number))?.hash, head.hash)
  const heard = new Promise<string>((resolve) => {
    void socket.once({ address }, (log: { transactionHash: string }) => resolve(log.transactionHash))
  })
  // The subscription is on its way before this.
  await socket.getBlockNumber()
  const approved = await contract.getFunction('approve')(friend.address, 6n)
  assert.equal(await heard, approved.hash)
  await approved.wait()
  await socket.destroy()
  provider.destroy()
}
