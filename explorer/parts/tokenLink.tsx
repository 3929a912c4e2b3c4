import { tokenFacts } from '../abi/tokens.ts'
import { linkTo } from '../page/route.ts'
import type { Hex } from '../rpc/types.ts'
import { AddressLink } from './link.tsx'
import { SafeText } from './safeText.tsx'

/** A token by the name that it gives itself, with its address beside it: any token can take any name. */
export const TokenLink = ({ token }: { readonly token: Hex }) => {
  const name = tokenFacts(token)?.name
  return (
    <span class="token">
      {name !== undefined && name !== '' && (
        <a href={linkTo('address', [token])}>
          <SafeText text={name} max={40} />
        </a>
      )}
      <AddressLink address={token} />
    </span>
  )
}
