import type { Receipt } from '../rpc/types.ts'
import { texts } from '../texts/texts.ts'

/** How a transaction ended, as a word and a sign: colour alone would not do. */
export const StatusBadge = ({
  receipt,
}: {
  readonly receipt: Pick<Receipt, 'status'> | null | undefined
}) => {
  if (receipt == null) return <span class="badge wait">◌ {texts.pending}</span>
  return receipt.status === '0x0' ? (
    <span class="badge bad">✕ {texts.failed}</span>
  ) : (
    <span class="badge good">✓ {texts.success}</span>
  )
}

/** The sign of a failed transaction before its hash. */
export const FailedSign = ({ receipt }: { readonly receipt: Pick<Receipt, 'status'> | null | undefined }) =>
  receipt?.status === '0x0' ? (
    <span class="sign bad" role="img" aria-label={texts.failed} title={texts.failed}>
      ✕
    </span>
  ) : null

/** A bar that shows how full something is; the number stands beside it. */
export const Meter = ({ value, max }: { readonly value: number; readonly max: number }) => {
  // Invalid figures have no share.
  const share = Math.min(1, value / max) || 0
  return (
    <svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="meter-all" width="100" height="6" rx="3" />
      <rect class="meter-part" width={Math.max(share * 100, share > 0 ? 2 : 0)} height="6" rx="3" />
    </svg>
  )
}
