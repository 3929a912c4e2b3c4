import { describeCall } from '../../abi/describe.ts'
import { abiVersion } from '../../abi/registry.ts'
import { formatBytes, formatPercent, group, toBig, toNumber } from '../../format/numbers.ts'
import { Amount, Gwei } from '../../parts/amount.tsx'
import { DecodedValues } from '../../parts/decoded.tsx'
import { Facts, Panel } from '../../parts/layout.tsx'
import { AddressLink, BlockLink } from '../../parts/link.tsx'
import { Raw } from '../../parts/raw.tsx'
import { Moment } from '../../parts/time.tsx'
import { useStore } from '../../store.ts'
import { texts } from '../../texts.ts'
import { FailureReason } from './failureReason.tsx'
import type { LoadedTransaction } from './transaction.tsx'
import { Transfers } from './transfers.tsx'

const typeNames: Readonly<Record<string, string>> = {
  '0x0': 'legacy',
  '0x1': 'with an access list (EIP-2930)',
  '0x2': 'with a priority fee (EIP-1559)',
  '0x3': 'with blobs (EIP-4844)',
  '0x4': 'sets code (EIP-7702)',
}

const Input = ({ loaded: { transaction } }: { readonly loaded: LoadedTransaction }) => {
  useStore(abiVersion)
  const { input, to } = transaction
  if (input === '0x') return null
  const described = to === null ? undefined : describeCall(input, to)
  return (
    <Panel
      title={to === null ? 'Code that creates the contract' : 'Call'}
      aside={<span class="muted num">{formatBytes((input.length - 2) / 2)}</span>}
    >
      {described !== undefined && <DecodedValues described={described} />}
      {described === undefined && to !== null && (
        <p class="muted">
          No known function has the selector <code>{input.slice(0, 10)}</code>. With the ABI of{' '}
          <AddressLink address={to} /> it can be decoded.
        </p>
      )}
      <details>
        <summary>Input data</summary>
        <Raw value={input} />
      </details>
    </Panel>
  )
}

export const Summary = ({ loaded }: { readonly loaded: LoadedTransaction }) => {
  const { transaction, receipt, block } = loaded
  const gasUsed = toNumber(receipt?.gasUsed)
  return (
    <>
      {receipt?.status === '0x0' && <FailureReason hash={transaction.hash} to={transaction.to} />}
      <Panel>
        <Facts
          rows={[
            [
              'Block',
              transaction.blockNumber !== null && <BlockLink number={toNumber(transaction.blockNumber)} />,
            ],
            ['Time', block !== null && <Moment time={toNumber(block.timestamp)} />],
            ['From', <AddressLink address={transaction.from} isFull />],
            ['To', transaction.to !== null && <AddressLink address={transaction.to} isFull />],
            [
              'Creates',
              transaction.to === null &&
                (receipt?.contractAddress ? (
                  <AddressLink address={receipt.contractAddress} isFull />
                ) : (
                  texts.contractCreation
                )),
            ],
            ['Value', <Amount wei={transaction.value} isFull />],
            [
              'Fee',
              receipt !== null && (
                <Amount wei={toBig(receipt.gasUsed) * toBig(receipt.effectiveGasPrice)} isFull />
              ),
            ],
            [
              'Gas',
              receipt === null ? (
                <span class="num">at most {group(toNumber(transaction.gas))}</span>
              ) : (
                <span class="num">
                  {group(gasUsed)} of {group(toNumber(transaction.gas))} (
                  {formatPercent(gasUsed, toNumber(transaction.gas))})
                </span>
              ),
            ],
            ['Gas price', receipt !== null && <Gwei wei={receipt.effectiveGasPrice} />],
            [
              'Fee limits',
              transaction.maxFeePerGas && (
                <span>
                  at most <Gwei wei={transaction.maxFeePerGas} />, tip{' '}
                  <Gwei wei={transaction.maxPriorityFeePerGas} />
                </span>
              ),
            ],
            ['Nonce', <span class="num">{group(toNumber(transaction.nonce))}</span>],
            [
              'Position',
              transaction.transactionIndex !== null && (
                <span class="num">{toNumber(transaction.transactionIndex)}</span>
              ),
            ],
            ['Type', typeNames[transaction.type] ?? transaction.type],
          ]}
        />
      </Panel>
      {receipt !== null && <Transfers logs={receipt.logs} />}
      <Input loaded={loaded} />
    </>
  )
}
