import {
  type Json,
  readAddress,
  readData,
  readHash,
  readList,
  readNullable,
  readObject,
  readQuantity,
} from './readers.ts'

/** The rows that Blockscout's indexer makes of answers, with the members that its source takes from them. */

export const toBlockRow = (block: Json) => ({
  hash: readHash(block, 'hash'),
  parentHash: readHash(block, 'parentHash'),
  number: Number(readQuantity(block, 'number')),
  timestamp: Number(readQuantity(block, 'timestamp')),
  miner: readAddress(block, 'miner'),
  nonce: readData(block, 'nonce'),
  difficulty: readQuantity(block, 'difficulty'),
  size: Number(readQuantity(block, 'size')),
  gasLimit: readQuantity(block, 'gasLimit'),
  gasUsed: readQuantity(block, 'gasUsed'),
  baseFee: readQuantity(block, 'baseFeePerGas'),
  extraData: readData(block, 'extraData'),
  logsBloom: readData(block, 'logsBloom'),
  mixHash: readHash(block, 'mixHash'),
  receiptsRoot: readHash(block, 'receiptsRoot'),
  sha3Uncles: readHash(block, 'sha3Uncles'),
  stateRoot: readHash(block, 'stateRoot'),
  transactionsRoot: readHash(block, 'transactionsRoot'),
  withdrawals: readList(block, 'withdrawals').length,
  blobGasUsed: readQuantity(block, 'blobGasUsed'),
  excessBlobGas: readQuantity(block, 'excessBlobGas'),
  uncles: readList(block, 'uncles').length,
  transactions: (readList(block, 'transactions') as readonly Json[]).map(toTransactionRow),
})

export const toTransactionRow = (transaction: Json) => ({
  ...toPendingRow(transaction),
  blockHash: readHash(transaction, 'blockHash'),
  blockNumber: Number(readQuantity(transaction, 'blockNumber')),
  index: Number(readQuantity(transaction, 'transactionIndex')),
})

/** A transaction of the pool, which has no block. */
export const toPendingRow = (transaction: Json) => ({
  hash: readHash(transaction, 'hash'),
  from: readAddress(transaction, 'from'),
  to: readNullable(readAddress, transaction, 'to'),
  gas: readQuantity(transaction, 'gas'),
  gasPrice: readQuantity(transaction, 'gasPrice'),
  input: readData(transaction, 'input'),
  nonce: Number(readQuantity(transaction, 'nonce')),
  value: readQuantity(transaction, 'value'),
  type: Number(readQuantity(transaction, 'type')),
  v: readQuantity(transaction, 'v'),
  r: readQuantity(transaction, 'r'),
  s: readQuantity(transaction, 's'),
  maxFee: readNullable(readQuantity, transaction, 'maxFeePerGas'),
  maxPriorityFee: readNullable(readQuantity, transaction, 'maxPriorityFeePerGas'),
  authorizations: ((transaction.authorizationList ?? []) as readonly Json[]).map((each) => ({
    chainId: readQuantity(each, 'chainId'),
    address: readAddress(each, 'address'),
    nonce: readQuantity(each, 'nonce'),
    yParity: readQuantity(each, 'yParity'),
    r: readQuantity(each, 'r'),
    s: readQuantity(each, 's'),
  })),
})

export const toReceiptRow = (receipt: Json) => ({
  transactionHash: readHash(receipt, 'transactionHash'),
  transactionIndex: Number(readQuantity(receipt, 'transactionIndex')),
  createdContract: readNullable(readAddress, receipt, 'contractAddress'),
  cumulativeGasUsed: readQuantity(receipt, 'cumulativeGasUsed'),
  gasUsed: readQuantity(receipt, 'gasUsed'),
  effectiveGasPrice: readQuantity(receipt, 'effectiveGasPrice'),
  status: readQuantity(receipt, 'status') === 1n ? 'ok' : 'error',
  logs: (readList(receipt, 'logs') as readonly Json[]).map(toLogRow),
})

export const toLogRow = (log: Json) => ({
  address: readAddress(log, 'address'),
  blockHash: readHash(log, 'blockHash'),
  blockNumber: Number(readQuantity(log, 'blockNumber')),
  transactionHash: readHash(log, 'transactionHash'),
  transactionIndex: Number(readQuantity(log, 'transactionIndex')),
  index: Number(readQuantity(log, 'logIndex')),
  data: readData(log, 'data'),
  topics: readList(log, 'topics'),
})

/** An internal transaction, whichever method told it. */
export interface InternalRow {
  readonly transactionHash: string
  readonly index: number
  readonly traceAddress: readonly number[]
  readonly type: string
  readonly callType: string | undefined
  readonly from: string
  readonly to: string | null
  readonly value: bigint
  readonly input: string | undefined
  readonly output: string | null
  readonly hasFailed: boolean
  /** A failed creation has none; a call that failed has no output. */
  readonly gas: bigint | undefined
}

/** From a trace in Parity's format, as Blockscout reads it of Nethermind, Besu and Erigon. */
export const toParityRow = (trace: Json, transactionHash: string, index: number): InternalRow => {
  const action = readObject(trace, 'action')
  const result = trace.result === null || trace.result === undefined ? {} : readObject(trace, 'result')
  const hasFailed = trace.error !== undefined
  const common = {
    ...{ transactionHash, index, hasFailed },
    traceAddress: readList(trace, 'traceAddress') as readonly number[],
  }
  switch (trace.type) {
    case 'call':
      return {
        ...{ ...common, type: 'call', callType: String(action.callType) },
        from: readAddress(action, 'from'),
        to: readAddress(action, 'to'),
        value: readQuantity(action, 'value'),
        gas: readQuantity(action, 'gas'),
        input: readData(action, 'input'),
        output: hasFailed ? null : readData(result, 'output'),
      }
    case 'create':
      return {
        ...{ ...common, type: 'create', callType: undefined },
        from: readAddress(action, 'from'),
        to: hasFailed ? null : readAddress(result, 'address'),
        value: readQuantity(action, 'value'),
        gas: readQuantity(action, 'gas'),
        input: readData(action, 'init'),
        output: hasFailed ? null : readData(result, 'code'),
      }
    case 'suicide':
      return {
        ...{ ...common, type: 'selfdestruct', callType: undefined, gas: undefined, input: undefined },
        from: readAddress(action, 'address'),
        to: readAddress(action, 'refundAddress'),
        value: readQuantity(action, 'balance'),
        output: null,
      }
    default:
      throw new Error(`a trace of type ${trace.type}`)
  }
}

const isPrecompile = (address: unknown): boolean => {
  const number = BigInt(String(address))
  return (number >= 1n && number <= 0x11n) || number === 0x100n
}

/** From a frame of callTracer with all below it, as Blockscout reads it of geth; less what Parity leaves out. */
export const toGethRows = (frame: Json, transactionHash: string): readonly InternalRow[] => {
  const rows: InternalRow[] = []
  const visit = (each: Json, traceAddress: readonly number[]): void => {
    const kind = String(each.type)
    const isCreation = kind.startsWith('CREATE')
    const isDestruction = kind === 'SELFDESTRUCT'
    const hasFailed = each.error !== undefined
    rows.push({
      ...{ transactionHash, index: rows.length, traceAddress, hasFailed },
      type: isDestruction ? 'selfdestruct' : isCreation ? 'create' : 'call',
      callType: isDestruction || isCreation ? undefined : kind.toLowerCase(),
      from: readAddress(each, 'from'),
      to: isCreation && hasFailed ? null : readAddress(each, 'to'),
      value: readNullable(readQuantity, each, 'value') ?? 0n,
      gas: isDestruction ? undefined : readQuantity(each, 'gas'),
      input: isDestruction ? undefined : readData(each, 'input'),
      output: hasFailed || isDestruction ? null : (readNullable(readData, each, 'output') ?? '0x'),
    })
    const shown = ((each.calls ?? []) as readonly Json[]).filter(
      ({ to, value = '0x0' }) => to === undefined || !isPrecompile(to) || BigInt(String(value)) > 0n,
    )
    for (const [index, inner] of shown.entries()) visit(inner, [...traceAddress, index])
  }
  visit(frame, [])
  return rows
}
