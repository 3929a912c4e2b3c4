import assert from 'node:assert/strict'
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  keccak256,
  parseEventLogs,
  type TransactionReceipt,
  webSocket,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { verifyProof } from '../support/verifier/proofs.ts'
import type { Materials } from './materials.ts'
import type { Target } from './target.ts'
import { balancesSlot, supply } from './token.ts'

const costOf = ({ gasUsed, effectiveGasPrice, blobGasUsed = 0n, blobGasPrice = 0n }: TransactionReceipt) =>
  gasUsed * effectiveGasPrice + blobGasUsed * blobGasPrice

/** Deploys, sends every type of transaction and reads everything back with viem. */
export const checkViem = async (target: Target, { token, blob }: Materials): Promise<void> => {
  const abi = token.abi as Abi
  const chain = defineChain({
    id: target.chainId,
    name: 'target',
    nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    rpcUrls: { default: { http: [target.httpUrl] } },
  })
  const options = { chain, transport: http(), pollingInterval: 50, cacheTime: 0 } as const
  const reader = createPublicClient(options)
  const account = privateKeyToAccount(target.privateKey)
  const sender = createWalletClient({ ...options, account })
  const friend = privateKeyToAccount(generatePrivateKey())

  assert.equal(await reader.getChainId(), target.chainId)
  const balanceBefore = await reader.getBalance({ address: account.address })
  const nonceBefore = await reader.getTransactionCount({ address: account.address })
  const receipts: TransactionReceipt[] = []
  const settle = async (hash: Hex, type: string): Promise<TransactionReceipt> => {
    const receipt = await reader.waitForTransactionReceipt({ hash })
    assert.equal(receipt.status, 'success')
    assert.equal(receipt.type, type)
    assert.equal(receipt.from, account.address.toLowerCase())
    receipts.push(receipt)
    return receipt
  }

  // The contract.
  const args = [supply] as const
  const deployment = await settle(
    await sender.deployContract({ abi, bytecode: token.bytecode, args }),
    'eip1559',
  )
  const address = getAddress(deployment.contractAddress as Hex)
  assert.equal(await reader.getCode({ address }), token.runtime)
  const read = (functionName: string, ...callArgs: unknown[]) =>
    reader.readContract({ address, abi, functionName, args: callArgs })
  assert.deepEqual(
    await Promise.all(['name', 'symbol', 'decimals', 'totalSupply'].map((name) => read(name))),
    ['Perihelion Test', 'PTEST', 18, supply],
  )
  const transferData = (value: bigint) =>
    encodeFunctionData({ abi, functionName: 'transfer', args: [friend.address, value] })

  // Every type.
  const gasPrice = await reader.getGasPrice()
  await settle(
    await sender.sendTransaction({ type: 'legacy', gasPrice, to: friend.address, value: 7n }),
    'legacy',
  )
  const { accessList } = await reader.createAccessList({
    account: account.address,
    to: address,
    data: transferData(1n),
  })
  assert.ok(
    accessList.some((entry) => entry.address === address.toLowerCase() && entry.storageKeys.length > 0),
  )
  await settle(
    await sender.sendTransaction({
      type: 'eip2930',
      gasPrice,
      accessList,
      to: address,
      data: transferData(1n),
    }),
    'eip2930',
  )
  const { request } = await reader.simulateContract({
    account,
    address,
    abi,
    functionName: 'transfer',
    args: [friend.address, 10n],
  })
  const gas = await reader.estimateContractGas({ ...request, account })
  const dynamic = await settle(await sender.writeContract({ ...request, gas }), 'eip1559')
  assert.ok(dynamic.gasUsed <= gas)
  const authority = privateKeyToAccount(generatePrivateKey())
  const authorization = await authority.signAuthorization({ chainId: target.chainId, address, nonce: 0 })
  await settle(
    await sender.sendTransaction({
      authorizationList: [authorization],
      to: authority.address,
      data: encodeFunctionData({ abi, functionName: 'totalSupply' }),
    }),
    'eip7702',
  )
  assert.equal(
    await reader.getCode({ address: authority.address }),
    `0xef0100${address.slice(2).toLowerCase()}`,
  )
  assert.equal(await reader.getTransactionCount({ address: authority.address }), 1)

  const sendBlob = async () =>
    sender.sendTransaction({
      type: 'eip4844',
      to: friend.address,
      blobs: [blob.blob],
      kzg: {
        blobToKzgCommitment: () => Buffer.from(blob.commitment.slice(2), 'hex'),
        computeBlobKzgProof: () => Buffer.from(blob.proof.slice(2), 'hex'),
      },
      maxFeePerBlobGas: (await reader.getBlobBaseFee()) * 2n,
    })
  if (target.takesBlobs) {
    const receipt = await settle(await sendBlob(), 'eip4844')
    assert.equal(receipt.blobGasUsed, 131_072n)
    const sent = await reader.getTransaction({ hash: receipt.transactionHash })
    assert.deepEqual(sent.blobVersionedHashes, [blob.versionedHash])
    const block = await reader.getBlock({ blockHash: receipt.blockHash })
    assert.ok(block.blobGasUsed >= 131_072n)
  } else await assert.rejects(sendBlob)

  // Confirmations: a transaction after it makes sure that there is a block after it.
  const first = await sender.writeContract({
    address,
    abi,
    functionName: 'approve',
    args: [friend.address, 5n],
  })
  const waiting = reader.waitForTransactionReceipt({ hash: first, confirmations: 2 })
  await settle(await sender.sendTransaction({ to: friend.address, value: 3n }), 'eip1559')
  const approval = await waiting
  receipts.push(approval)
  assert.ok((await reader.getTransactionConfirmations({ hash: first })) >= 2n)

  // Events.
  const events = receipts.flatMap(({ logs }) => parseEventLogs({ abi, logs }))
  const summary = events.map((event) => {
    const { eventName, args } = event as { eventName: string; args: { value?: bigint } }
    return [eventName, args.value]
  })
  assert.deepEqual(summary, [
    ['Transfer', supply],
    ['Transfer', 1n],
    ['Transfer', 10n],
    ['Approval', 5n],
  ])

  const found = await reader.getContractEvents({ address, abi, fromBlock: deployment.blockNumber })
  assert.deepEqual(
    found.map(({ transactionHash, logIndex }) => [transactionHash, logIndex]),
    events.map(({ transactionHash, logIndex }) => [transactionHash, logIndex]),
  )

  // What there is now.
  const head = await reader.getBlock()
  const costs = receipts.reduce((sum, receipt) => sum + costOf(receipt), 0n)
  const at = { blockNumber: head.number }
  assert.equal(await reader.getBalance({ address: account.address, ...at }), balanceBefore - costs - 10n)
  assert.equal(await reader.getBalance({ address: friend.address, ...at }), 10n)
  assert.equal(
    await reader.getTransactionCount({ address: account.address, ...at }),
    nonceBefore + receipts.length,
  )
  assert.equal(await read('balanceOf', friend.address), 11n)
  assert.equal(await read('allowance', account.address, friend.address), 5n)
  const slot = keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [friend.address, BigInt(balancesSlot)]),
  )
  assert.equal(BigInt((await reader.getStorageAt({ address, slot, ...at })) ?? '0x0'), 11n)
  const proof = await reader.getProof({ address, storageKeys: [slot], ...at })
  assert.deepEqual(
    proof.storageProof.map(({ value }) => value),
    [11n],
  )
  const rpc = <T>(method: string, ...params: unknown[]) =>
    reader.request({ method, params } as never) as Promise<T>
  await verifyProof(rpc, address, [slot], `0x${head.number.toString(16)}`)

  // Blocks and transactions agree, by each way to them.
  for (const receipt of receipts) {
    const { transactionHash: hash, blockHash, blockNumber, transactionIndex: index } = receipt
    const transaction = await reader.getTransaction({ hash })
    assert.deepEqual(await reader.getTransaction({ blockHash, index }), transaction)
    assert.deepEqual(await reader.getTransaction({ blockNumber, index }), transaction)
    const block = await reader.getBlock({ blockHash, includeTransactions: true })
    assert.equal(block.number, blockNumber)
    assert.deepEqual(block.transactions[index]?.hash, hash)
    assert.equal(transaction.from, account.address.toLowerCase())
  }

  // Fees.
  const { baseFeePerGas, reward, gasUsedRatio } = await reader.getFeeHistory({
    blockCount: 4,
    blockNumber: head.number,
    rewardPercentiles: [10, 90],
  })
  assert.deepEqual([baseFeePerGas.length, reward?.length, gasUsedRatio.length], [5, 4, 4])
  assert.equal(baseFeePerGas[3], head.baseFeePerGas)
  const { maxFeePerGas, maxPriorityFeePerGas } = await reader.estimateFeesPerGas()
  assert.ok(maxFeePerGas >= maxPriorityFeePerGas)

  // Errors say why.
  const refusal = await reader
    .simulateContract({
      account: friend,
      address,
      abi,
      functionName: 'transfer',
      args: [friend.address, 12n],
    })
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  assert.ok(refusal instanceof BaseError)
  const reverted = refusal.walk((cause) => cause instanceof ContractFunctionRevertedError)
  assert.ok(reverted instanceof ContractFunctionRevertedError)
  assert.deepEqual([reverted.data?.errorName, reverted.data?.args], ['BalanceTooLow', [11n, 12n]])

  // The other transport gives the same.
  const socket = createPublicClient({ chain, transport: webSocket(target.wsUrl), cacheTime: 0 })
  assert.deepEqual(await socket.getBlock({ blockNumber: head.number }), head)
  const heard = new Promise<Hex | null>((resolve, reject) => {
    const stop = socket.watchContractEvent({
      address,
      abi,
      eventName: 'Approval',
      onLogs: ([log]) => {
        stop()
        resolve(log?.transactionHash ?? null)
      },
      onError: reject,
    })
  })
  // The subscription is on its way before this.
  await socket.getChainId()
  const approved = await sender.writeContract({
    address,
    abi,
    functionName: 'approve',
    args: [friend.address, 6n],
  })
  assert.equal(await heard, approved)
  ;(await socket.transport.getRpcClient()).close()
}
