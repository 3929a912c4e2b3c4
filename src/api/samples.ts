/** Values for the examples: the first transfer on the chain that a first start makes. */

export const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
export const coinbase = '0xbcd4042de499d14e55001ccbb24a551f3b954096'
export const contract = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
export const blockHash = '0x8d008a85575bc81d6b2fe7c4b508fc2a5ccc695321d7d78f6ff834252467eb6b'
export const filterId = '0x9ce59a13059e417087c02d3236a0b1cc'

export const rawTransaction =
  '0x02f874827a6980843b9aca0084773594008252089470997970c51812dc3a010c7d01b50e0d17dc79c8880de0b6b3a764000080' +
  'c080a074128fd7d42631897474d93692787a2e56b813754468caaca4993c641c986a37a06d5a3b027177cc2841199b70400fece0' +
  'a29ac5eabee2fa9cbf9b6aa213716c48'

export const transactionHash = '0x7d4c13ed95c0cee830d7457ec5a5976db1fc301cfa7a23fef0039a7ccf6aea87'

export const message = '0xdeadbeaf'

/** Of the message above, by the first account of the public development mnemonic. */
export const messageSignature =
  '0x791703250f789557b30c2ed9066cdc9bfcfba4504583d417b61f07891c4c9ace5fa84cb97062712e6e614c29ad59c610e310123e' +
  'fdb40bd7a9c516ace2084cd01c'

const inBlock = { blockHash, blockNumber: '0x1', transactionIndex: '0x0' }

export const transaction = {
  ...inBlock,
  hash: transactionHash,
  type: '0x2',
  nonce: '0x0',
  from: alice,
  to: bob,
  value: '0xde0b6b3a7640000',
  gas: '0x5208',
  gasPrice: '0x6fc23ac0',
  maxFeePerGas: '0x77359400',
  maxPriorityFeePerGas: '0x3b9aca00',
  input: '0x',
  accessList: [],
  chainId: '0x7a69',
  v: '0x0',
  r: '0x74128fd7d42631897474d93692787a2e56b813754468caaca4993c641c986a37',
  s: '0x6d5a3b027177cc2841199b70400fece0a29ac5eabee2fa9cbf9b6aa213716c48',
  yParity: '0x0',
}

/** The same transaction while it waits. */
export const pendingTransaction = {
  ...transaction,
  blockHash: null,
  blockNumber: null,
  transactionIndex: null,
  gasPrice: '0x77359400',
}

const emptyBloom = `0x${'00'.repeat(256)}`
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
export const zeroWord = `0x${'00'.repeat(32)}`

export const receipt = {
  ...inBlock,
  transactionHash,
  from: alice,
  to: bob,
  contractAddress: null,
  type: '0x2',
  status: '0x1',
  gasUsed: '0x5208',
  cumulativeGasUsed: '0x5208',
  effectiveGasPrice: '0x6fc23ac0',
  logs: [],
  logsBloom: emptyBloom,
}

export const block = {
  number: '0x1',
  hash: blockHash,
  parentHash: '0xf6b2da86612e42d22b5b48e8572a85684bf38cc7c62993fd1ec0f3c2b58ddc0e',
  nonce: '0x0000000000000000',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  logsBloom: emptyBloom,
  transactionsRoot: '0x06b06d69b368c15164608b3fad50feade19592196c279c0bced1c810c096a717',
  stateRoot: '0x69e39af32bd0cc2d5f8ad822a3afcd7fe8d7211e4ca7c42654cdbda7a9b74516',
  receiptsRoot: '0x837399e622967f92f2ba0d0ab8b41d1b497ed52a31354c945bd675f2657d6dcf',
  miner: coinbase,
  difficulty: '0x0',
  extraData: '0x',
  gasLimit: '0x3938700',
  gasUsed: '0x5208',
  timestamp: '0x6917f380',
  mixHash: '0x69c85a402700313308132fa118c678851fad5e15b9dfd2ad9ecf7bc44d8f4884',
  baseFeePerGas: '0x342770c0',
  withdrawalsRoot: emptyRoot,
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: zeroWord,
  requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  size: '0x2f3',
  transactions: [transactionHash],
  uncles: [],
  withdrawals: [],
}

export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export const log = {
  address: contract,
  topics: [transferTopic],
  data: '0x0000000000000000000000000000000000000000000000000de0b6b3a7640000',
  ...inBlock,
  transactionHash,
  logIndex: '0x0',
  removed: false,
}
