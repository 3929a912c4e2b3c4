import { Empty, Loaded } from '../parts/layout.tsx'
import { Raw } from '../parts/raw.tsx'
import { call } from '../rpc/client.ts'
import type { Hex } from '../rpc/types.ts'
import { texts } from '../texts.ts'
import { useCall } from '../useCall.ts'

/** A block as CometBFT has it, with its results. */
export const NativeBlock = ({ number }: { readonly number: Hex }) => {
  const state = useCall(
    () =>
      Promise.all([
        call<object | null>('cosmos_getBlock', number),
        call<object | null>('cosmos_getBlockResults', number),
      ]),
    [number],
  )
  return (
    <Loaded state={state}>
      {([block, results]) =>
        block === null ? (
          <Empty>{texts.block.noNative}</Empty>
        ) : (
          <>
            <h3>{texts.names.block}</h3>
            <Raw value={block} />
            <h3>{texts.block.results}</h3>
            <Raw value={results} />
          </>
        )
      }
    </Loaded>
  )
}
