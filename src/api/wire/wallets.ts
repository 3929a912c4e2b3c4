import { z } from 'zod'
import { plainType } from '../../rpc/wireType.ts'
import { addressText } from './data.ts'

const account = z
  .object({ address: addressText, url: z.string() })
  .meta({ id: 'WalletAccount', title: 'account of a wallet' })

export const WalletAccount = plainType(account)

export const WalletList = plainType(
  z
    .array(
      z.object({
        url: z.string(),
        status: z
          .string()
          .describe('Locked or Unlocked for a key file; Open, Closed or Unpaired for a wallet'),
        accounts: z.array(account),
      }),
    )
    .meta({ id: 'Wallets', title: 'wallets' }),
)
