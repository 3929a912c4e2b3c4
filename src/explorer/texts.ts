/** Every text that the page shows more than once or that explains something, so that it can be read and changed here. */
export const texts = {
  title: 'Perihelion',
  skip: 'Skip to the content',
  search: 'Block number, hash or address',
  searchLabel: 'Search for a block, a transaction or an address',
  searchNothing: 'Nothing has this number or hash on this chain.',
  searchHint: 'Enter a block number, a hash of 64 digits, or an address of 40 digits.',
  nav: {
    home: 'Overview',
    blocks: 'Blocks',
    pool: 'Pool',
    logs: 'Logs',
    validators: 'Validators',
    console: 'Console',
    dev: 'Dev tools',
  },
  connection: {
    connecting: 'Connecting',
    live: 'Live',
    polling: 'Polling',
    lost: 'No connection',
  },
  connectionHelp: {
    connecting: 'The page connects to the node.',
    live: 'New blocks arrive over WebSocket.',
    polling: 'WebSocket does not come through: the page asks every three seconds.',
    lost: 'The node does not answer. The page tries again by itself.',
  },
  refusedHelp: 'The node refuses to tell of new blocks, so the page asks every three seconds. Its reason:',
  theme: { light: 'Light', dark: 'Dark', auto: 'As the system' },
  loading: 'Loading',
  copy: 'Copy',
  copied: 'Copied',
  more: 'More',
  newer: 'Newer',
  older: 'Older',
  success: 'Success',
  failed: 'Failed',
  pending: 'Pending',
  contractCreation: 'contract creation',
  noTransactions: 'No transactions.',
  noBlock: 'This chain has no such block.',
  noTransaction: 'This chain and its pool have no transaction with this hash.',
  errors: {
    unreachable: 'The node cannot be reached. Is it running? The page tries again as soon as it answers.',
    key: 'This node needs an API key: open the page as http://host:port/<key>/.',
    rate: 'The node limits how often it is asked. Wait a moment, then try again.',
    host: 'The node does not accept this host name: start it with --json-rpc.vhosts <name>.',
    private: 'This method needs a token or the IPC socket; the page has neither.',
    retry: 'Try again',
  },
  dev: {
    warning: 'These change the chain. They exist on chains for development only.',
  },
  hostileTruncated: 'shortened',
} as const

/** How to turn a namespace on. */
export const enableNamespace = (namespace: string, enabled: Iterable<string>): string => {
  const wanted = [...new Set([...enabled, namespace])].filter((name) => name !== 'rpc').sort()
  return `--json-rpc.api ${wanted.join(',')}`
}

/** The name of the chain's unit. Only a chain for development says it for sure. */
export const unitName = (isDev: boolean): string => (isDev ? 'ETH' : 'coins')
