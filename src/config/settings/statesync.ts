import { text } from '../kinds/basic.ts'
import { list } from '../kinds/lists.ts'
import { duration, integer } from '../kinds/numbers.ts'
import { setting } from './setting.ts'

/** The settings of `[statesync]`, about how a home without a chain joins from a snapshot. */
export const statesync = {
  'rpc-servers': setting({
    kind: list({
      item: /^(?:https?:\/\/)?[^/\s]+$/,
      wanted: 'at least two addresses such as host:26657',
      isValid: (text) => URL.canParse(/^https?:\/\//.test(text) ? text : `http://${text}`),
    }),
    default: [],
    isUrl: true,
    about:
      'The RPC addresses of two or more CometBFT nodes, against which a home without a chain checks the snapshot that it joins ' +
      'from; empty means that it joins by executing every block. What is given here is written to the config.toml of CometBFT.',
  }),
  'trust-height': setting({
    kind: integer({ min: 0 }),
    default: 0,
    about: 'A height of the chain whose block is known to be right, not older than the trust period.',
  }),
  'trust-hash': setting({
    kind: text({
      wanted: "CometBFT's hash of that block, 64 hex digits",
      pattern: /^(?:[0-9a-fA-F]{64})?$/,
    }),
    default: '',
    about: "CometBFT's hash of the block at the trust height, from a source that you trust.",
  }),
  'trust-period': setting({
    kind: duration({ min: 1 }),
    default: 604_800_000,
    about:
      'How old a block may be to be trusted: validators can be held to account for their signatures that ' +
      'long.',
  }),
}
