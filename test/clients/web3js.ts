import assert from 'node:assert/strict'
import { privateKeyToAccount } from 'viem/accounts'
import { type ContractAbi, type TransactionReceipt, Web3 } from 'web3'
import { verifyProof } from '../support/verifier/proofs.ts'
import type { Materials } from './materials.ts'
import type { Target } from './target.ts'
import { balancesSlot, supply } from './token.ts'

const costOf = ({ gasUsed, effectiveGasPrice = 0n }: TransactionReceipt): bigint =>
  BigInt(gasUsed) * BigInt(effectiveGasPrice)

/** The ABI decides what a contract has; the compiler cannot know it. */
interface TokenMethods {
  readonly [name: string]: (...args: unknown[]) => {
    call(options?: { from: string }): Promise<unknown>
    send(options: { from: string }): PromiseLike<TransactionReceipt>
    estimateGas(options: { from: string }): Promise<bigint>
    encodeABI(): string
  }
}

/** As `methods`: its types follow from the ABI. */
type PastEvents = (
  name: 'allEvents',
  filter: { fromBlock: unknown },
) => Promise<readonly { readonly transactionHash: string; readonly logIndex: bigint }[]>

/**
 * Deploys, sends every type of transaction and reads everything back with web3.js. It knows neither blob nor set-code
 * transactions: viem signs those, they are sent as they are, and web3.js reads them.
 */
export const checkWeb3Js = async (target: Target, { token, blob }: Materials): Promise<void> => {
  const web3 = new Web3(target.httpUrl)
  web3.eth.transactionPollingInterval = 50
  web3.eth.transactionConfirmationPollingInterval = 50
  web3.eth.transactionConfirmationBlocks = 2
  web3.eth.contractDataInputFill = 'data'
  const { eth, utils } = web3
  const account = eth.accounts.wallet.add(target.privateKey).get(0)
  assert.ok(account)
  const { address: owner } = account
  const friend = eth.accounts.create().address

  const rpc = <T>(method: string, ...params: unknown[]): Promise<T> =>
    web3.requestManager.send({ method, params } as never) as Promise<T>
  /** `sendSignedTransaction` decodes what it sends, and knows the first three types alone. */
  const sendRaw = async (raw: string): Promise<TransactionReceipt> => {
    const hash = await rpc<string>('eth_sendRawTransaction', raw)
    for (;;) {
      const receipt = await eth.getTransactionReceipt(hash).catch(() => undefined)
      if (receipt) return receipt as TransactionReceipt
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  assert.equal(Number(await eth.getChainId()), target.chainId)
  const balanceBefore = await eth.getBalance(owner)
  const nonceBefore = await eth.getTransactionCount(owner)
  const receipts: TransactionReceipt[] = []
  const keep = (receipt: TransactionReceipt, type: number): TransactionReceipt => {
    assert.deepEqual([receipt.status, Number(receipt.type), receipt.from], [1n, type, owner.toLowerCase()])
    receipts.push(receipt)
    return receipt
  }

  // The contract.
  const abi = token.abi as ContractAbi
  const deployment = new eth.Contract(abi).deploy({ data: token.bytecode, arguments: [supply] } as never)
  const deployed = await deployment.send({ from: owner }).on('receipt', (receipt) => {
    keep(receipt as TransactionReceipt, 2)
  })
  const address = deployed.options.address as string
  const methods = deployed.methods as unknown as TokenMethods
  const of = (name: string, ...args: unknown[]) => (methods[name] as TokenMethods[string])(...args)
  assert.equal(await eth.getCode(address), token.runtime)
  const names = ['name', 'symbol', 'decimals', 'totalSupply']
  assert.deepEqual(await Promise.all(names.map((name) => of(name).call())), [
    'Perihelion Test',
    'PTEST',
    18n,
    supply,
  ])

  // Every type.
  const gasPrice = await eth.getGasPrice()
  const sendOwn = async (request: object, type: number): Promise<TransactionReceipt> =>
    keep(await eth.sendTransaction({ from: owner, ...request } as never), type)
  await sendOwn({ type: 0, gasPrice, gas: 21_000n, to: friend, value: 7n }, 0)
  const data = of('transfer', friend, 1n).encodeABI()
  const { accessList } = await eth.createAccessList({ from: owner, to: address, data }, 'latest')
  await sendOwn({ type: 1, gasPrice, gas: 100_000n, to: address, data, accessList }, 1)
  const gas = await of('transfer', friend, 10n).estimateGas({ from: owner })
  const dynamic = keep(await of('transfer', friend, 10n).send({ from: owner }), 2)
  assert.ok(BigInt(dynamic.gasUsed) <= gas)

  const signer = privateKeyToAccount(target.privateKey)
  const nextFields = async () => ({
    chainId: target.chainId,
    nonce: Number(await eth.getTransactionCount(owner)),
    maxFeePerGas: 2n * gasPrice,
    maxPriorityFeePerGas: gasPrice / 10n,
  })
  const authority = privateKeyToAccount(eth.accounts.create().privateKey as `0x${string}`)
  const delegate = address as `0x${string}`
  const authorization = await authority.signAuthorization({
    chainId: target.chainId,
    address: delegate,
    nonce: 0,
  })
  const delegation = await signer.signTransaction({
    ...(await nextFields()),
    type: 'eip7702',
    gas: 200_000n,
    to: authority.address,
    data: of('totalSupply').encodeABI() as `0x${string}`,
    authorizationList: [authorization],
  })
  keep(await sendRaw(delegation), 4)
  assert.equal(await eth.getCode(authority.address), `0xef0100${address.slice(2).toLowerCase()}`)
  assert.equal(await eth.getTransactionCount(authority.address), 1n)

  const withBlob = await signer.signTransaction({
    ...(await nextFields()),
    type: 'eip4844',
    gas: 21_000n,
    to: friend as `0x${string}`,
    sidecars: [{ blob: blob.blob, commitment: blob.commitment, proof: blob.proof }],
    blobVersionedHashes: [blob.versionedHash],
    maxFeePerBlobGas: 1_000_000_000n,
  })
  let blobCosts = 0n
  if (target.takesBlobs) {
    const { transactionHash } = keep(await sendRaw(withBlob), 3)
    // web3.js leaves out what it does not know.
    const sent = await rpc<{ blobVersionedHashes: string[] }>('eth_getTransactionByHash', transactionHash)
    assert.deepEqual(sent.blobVersionedHashes, [blob.versionedHash])
    const receipt = await rpc<Record<string, string>>('eth_getTransactionReceipt', transactionHash)
    blobCosts = BigInt(receipt.blobGasUsed ?? 0) * BigInt(receipt.blobGasPrice ?? 0)
    assert.ok(blobCosts > 0n)
  } else await assert.rejects(sendRaw(withBlob))

  // Confirmations: a transaction after it makes sure that there is a block after it.
  let after: Promise<unknown> | undefined
  const confirmed = new Promise<TransactionReceipt>((resolve, reject) => {
    const sending = eth.sendTransaction({
      from: owner,
      to: address,
      data: of('approve', friend, 5n).encodeABI(),
    })
    sending.on('error', reject)
    sending.on('receipt', () => {
      after = sendOwn({ to: friend, value: 3n }, 2)
      after.catch(reject)
    })
    sending.on('confirmation', ({ confirmations, receipt }) => {
      if (confirmations >= 2n) resolve(receipt)
    })
  })
  keep(await confirmed, 2)
  // On a network blocks come without it too.
  await after

  // Events.
  const logs = receipts
    .flatMap((receipt) => receipt.logs)
    .toSorted((a, b) => Number(a.blockNumber) - Number(b.blockNumber))
  const decode = (log: (typeof logs)[number]): [unknown, bigint] => {
    const event = deployed.options.jsonInterface.find(
      (item) => item.type === 'event' && eth.abi.encodeEventSignature(item as never) === log.topics?.[0],
    )
    return [
      (event as { name?: string } | undefined)?.name,
      eth.abi.decodeParameter('uint256', String(log.data)) as bigint,
    ]
  }
  assert.deepEqual(logs.map(decode), [
    ['Transfer', supply],
    ['Transfer', 1n],
    ['Transfer', 10n],
    ['Approval', 5n],
  ])

  const fromBlock = receipts[0]?.blockNumber ?? 0
  const found = await (deployed as { getPastEvents: PastEvents }).getPastEvents('allEvents', { fromBlock })
  assert.deepEqual(
    found.map(({ transactionHash, logIndex }) => [transactionHash, logIndex]),
    logs.map(({ transactionHash, logIndex }) => [transactionHash, logIndex]),
  )

  // What there is now.
  const head = await eth.getBlock('latest')
  const costs = receipts.reduce((sum, receipt) => sum + costOf(receipt), blobCosts)
  assert.equal(await eth.getBalance(owner, head.number), balanceBefore - costs - 10n)
  assert.equal(await eth.getBalance(friend, head.number), 10n)
  assert.equal(await eth.getTransactionCount(owner, head.number), nonceBefore + BigInt(receipts.length))
  assert.equal(await of('balanceOf', friend).call(), 11n)
  assert.equal(await of('allowance', owner, friend).call(), 5n)
  const slot = utils.keccak256(eth.abi.encodeParameters(['address', 'uint256'], [friend, balancesSlot]))
  assert.equal(BigInt(await eth.getStorageAt(address, slot, head.number)), 11n)
  const proof = await eth.getProof(address, [slot], head.number)
  assert.equal(BigInt(proof.storageProof[0]?.value ?? 0), 11n)
  await verifyProof(rpc, address, [slot], utils.toHex(head.number))

  // Blocks and transactions agree, by each way to them.
  for (const { transactionHash, blockNumber, transactionIndex, ...receipt } of receipts) {
    const blockHash = String(receipt.blockHash)
    const transaction = await eth.getTransaction(transactionHash)
    assert.deepEqual(await eth.getTransactionFromBlock(blockHash, transactionIndex), transaction)
    assert.deepEqual(await eth.getTransactionFromBlock(blockNumber, transactionIndex), transaction)
    const block = await eth.getBlock(blockHash, false)
    assert.equal(block.number, blockNumber)
    assert.equal(block.transactions?.[Number(transactionIndex)], transactionHash)
  }

  // Fees.
  const history = await eth.getFeeHistory(4, head.number, [10, 90])
  assert.equal(history.baseFeePerGas.length, 5)
  assert.equal(history.reward.length, 4)
  assert.equal(history.baseFeePerGas[3], head.baseFeePerGas)

  // Errors say why.
  await assert.rejects(of('transfer', friend, 12n).call({ from: friend }), (error: unknown) => {
    const { errorName, errorArgs } = (error as { cause: { errorName: string; errorArgs: object } }).cause
    assert.equal(errorName, 'BalanceTooLow')
    assert.deepEqual(Object.values(errorArgs).slice(0, 2), [11n, 12n])
    return true
  })

  // The other transport gives the same.
  const socket = new Web3(target.wsUrl)
  assert.equal((await socket.eth.getBlock(head.number)).hash, head.hash)
  const heads = await socket.eth.subscribe('newHeads')
  // On a network others come before it.
  const heard = new Set<unknown>()
  let wake = (): void => {}
  heads.on('data', (block) => {
    heard.add(block.hash)
    wake()
  })
  const { blockHash } = await sendOwn({ to: friend, value: 1n }, 2)
  while (!heard.has(blockHash)) {
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  await heads.unsubscribe()
  socket.currentProvider?.disconnect()
}
