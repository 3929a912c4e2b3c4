import { nodeFacts } from '../live/node.ts'
import { RpcFailure } from '../rpc/failure.ts'
import { useStore } from '../state/store.ts'
import { enableNamespace, texts } from '../texts/texts.ts'
import { CopyButton } from './copy.tsx'
import { SafeText } from './safeText.tsx'

const helpFor = (error: unknown): string | undefined => {
  if (!(error instanceof RpcFailure)) return undefined
  if (error.status === 401) return texts.errors.key
  if (error.status === 429) return texts.errors.rate
  if (error.status === 403) return texts.errors.host
  if (error.status === undefined && error.code === undefined) return texts.errors.unreachable
  return undefined
}

/** What went wrong and what to do about it. */
export const Problem = ({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) => {
  const namespaces = useStore(nodeFacts, (facts) => facts?.namespaces)
  const missing = error instanceof RpcFailure ? error.missingNamespace : undefined
  if (missing !== undefined && !namespaces?.has(missing)) {
    const flag = enableNamespace(missing, namespaces ?? ['eth', 'net', 'web3'])
    return (
      <div class="notice" role="status">
        <p>
          {texts.errors.namespace} <code>{missing}</code>. {texts.errors.enable}
        </p>
        <p class="command">
          <code>{texts.errors.start(flag)}</code> <CopyButton text={flag} />
        </p>
      </div>
    )
  }
  const message = error instanceof Error ? error.message : String(error)
  const isPlain = error instanceof RpcFailure && error.isUnsupported
  return (
    <div class={isPlain ? 'notice' : 'notice bad'} role={isPlain ? 'status' : 'alert'}>
      <p>{helpFor(error) ?? <SafeText text={message} max={600} />}</p>
      {onRetry !== undefined && !isPlain && (
        <button type="button" class="button small" onClick={onRetry}>
          {texts.errors.retry}
        </button>
      )}
    </div>
  )
}
