import { describeCall } from '../../abi/describe.ts'
import { abiVersion } from '../../abi/registry.ts'
import { blobFeeOf, feeOf } from '../../format/fees.ts'
import { formatBytes, formatGwei, formatPercent, group, toBig, toNumber } from '../../format/numbers.ts'
import { Amount, Gwei } from '../../parts/amount.tsx'
import { DecodedValues } from '../../parts/decoded.tsx'
import { Facts, Panel } from '../../parts/layout.tsx'
import { AddressLink, BlockLink } from '../../parts/link.tsx'
import { Raw } from '../../parts/raw.tsx'
import { safeText } from '../../parts/safeText.tsx'
import { Moment } from '../../parts/time.tsx'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'
import { FailureReason } from './failureReason.tsx'
import type { LoadedTransaction } from './loadTransaction.ts'
import { Transfers } from './transfers.tsx'
import { TypedLists } from './typedLists.tsx'

const Input = ({ loaded: { transaction } }: { readonly loaded: LoadedTransaction }) => {
  useStore(abiVersion)
  const { input, to } = transaction
  if (input === '0x') return null
  const described = to === null ? undefined : describeCall(input, to)
  return (
    <Panel
      title={to === null ? texts.transaction.creationCode : texts.names.call}
      aside={<span class="muted num">{formatBytes((input.length - 2) / 2)}</span>}
    >
      {described !== undefined && <DecodedValues described={described} />}
      {described === undefined && to !== null && (
        <p class="muted">
          {texts.transaction.unknownFunction(safeText(input.slice(0, 10)))} <AddressLink address={to} />
        </p>
      )}
      <details>
        <summary>{texts.transaction.input}</summary>
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
              texts.names.block,
              transaction.blockNumber !== null && <BlockLink number={toNumber(transaction.blockNumber)} />,
            ],
            [texts.names.time, block !== null && <Moment time={toNumber(block.timestamp)} />],
            [texts.names.from, <AddressLink address={transaction.from} isFull />],
            [texts.names.to, transaction.to !== null && <AddressLink address={transaction.to} isFull />],
            [
              texts.transaction.creates,
              transaction.to === null &&
                (receipt?.contractAddress ? (
                  <AddressLink address={receipt.contractAddress} isFull />
                ) : (
                  texts.contractCreation
                )),
            ],
            [texts.names.value, <Amount wei={transaction.value} isFull />],
            [texts.transaction.fee, receipt !== null && <Amount wei={feeOf(receipt)} isFull />],
            [
              texts.transaction.forBlobs,
              receipt !== null && blobFeeOf(receipt) > 0n && <Amount wei={blobFeeOf(receipt)} isFull />,
            ],
            [
              texts.transaction.gas,
              receipt === null ? (
                <span class="num">{texts.transaction.atMost(group(toNumber(transaction.gas)))}</span>
              ) : (
                <span class="num">
                  {texts.share(group(gasUsed), group(toNumber(transaction.gas)))} (
                  {formatPercent(gasUsed, toNumber(transaction.gas))})
                </span>
              ),
            ],
            [texts.transaction.gasPrice, receipt !== null && <Gwei wei={receipt.effectiveGasPrice} />],
            [
              texts.transaction.feeLimits,
              transaction.maxFeePerGas && (
                <span class="num">
                  {texts.transaction.limits(
                    formatGwei(toBig(transaction.maxFeePerGas)),
                    formatGwei(toBig(transaction.maxPriorityFeePerGas)),
                  )}
                </span>
              ),
            ],
            [texts.names.nonce, <span class="num">{group(toNumber(transaction.nonce))}</span>],
            [
              texts.transaction.position,
              transaction.transactionIndex !== null && (
                <span class="num">{toNumber(transaction.transactionIndex)}</span>
              ),
            ],
            [texts.transaction.type, texts.transaction.types[transaction.type] ?? safeText(transaction.type)],
          ]}
        />
      </Panel>
      <TypedLists transaction={transaction} />
      {receipt !== null && <Transfers logs={receipt.logs} />}
      <Input loaded={loaded} />
    </>
  )
}
