import { revertText } from '../../abi/describe.ts'
import { isHex } from '../../format/hex.ts'
import { Problem } from '../../parts/problem.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { messageOf, RpcFailure } from '../../rpc/failure.ts'
import type { Hex } from '../../rpc/types.ts'

/** Why a call of a contract failed, with the contract's own words. */
export const CallProblem = ({ error, address }: { readonly error: unknown; readonly address: Hex }) => {
  const data = (error as { readonly data?: unknown } | undefined)?.data
  const reason = typeof data === 'string' && isHex(data) ? revertText(data, address) : undefined
  if (reason === undefined && error instanceof RpcFailure) return <Problem error={error} />
  return (
    <div class="notice bad" role="alert">
      <p>
        <SafeText text={reason ?? messageOf(error)} max={600} />
      </p>
    </div>
  )
}
