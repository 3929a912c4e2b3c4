/** The values of the examples: the first transfer on a new chain. */

export const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
/** The first key of the public development mnemonic, which is not secret. */
export const aliceKey = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
export const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
export const coinbase = '0xbcd4042de499d14e55001ccbb24a551f3b954096'
export const contract = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
export const blockHash = '0x0b85f4df3cb78bd068b884acebce8569fad38168f794ba33e08f3815995703a7'
export const filterId = '0x9ce59a13059e417087c02d3236a0b1cc'

export const rawTransaction =
  '0x02f874827a6980843b9aca0084773594008252089470997970c51812dc3a010c7d01b50e0d17dc79c8880de0b6b3a764000080' +
  'c080a074128fd7d42631897474d93692787a2e56b813754468caaca4993c641c986a37a06d5a3b027177cc2841199b70400fece0' +
  'a29ac5eabee2fa9cbf9b6aa213716c48'

export const transactionHash = '0x7d4c13ed95c0cee830d7457ec5a5976db1fc301cfa7a23fef0039a7ccf6aea87'

export const message = '0xdeadbeaf'

/** The signature of the message by the first account of the public development mnemonic. */
export const messageSignature =
  '0x791703250f789557b30c2ed9066cdc9bfcfba4504583d417b61f07891c4c9ace5fa84cb97062712e6e614c29ad59c610e310123e' +
  'fdb40bd7a9c516ace2084cd01c'

const inBlock = { blockHash, blockNumber: '0x1', transactionIndex: '0x0' }

export const transaction = {
  ...inBlock,
  blockTimestamp: '0x6af952a6',
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

/** The same transaction while it is in the pool. */
export const pendingTransaction = {
  ...transaction,
  blockHash: null,
  blockNumber: null,
  blockTimestamp: null,
  transactionIndex: null,
  gasPrice: '0x77359400',
}

const emptyBloom = `0x${'00'.repeat(256)}`
export const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
/** The hash of empty code. */
export const emptyCodeHashHex = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
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

export const header = {
  number: '0x1',
  hash: blockHash,
  parentHash: '0x999a61682c7c2b0a11b14178660d4d82217bd3550b780ed8ebc70cac87bb93b5',
  nonce: '0x0000000000000000',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  logsBloom: emptyBloom,
  transactionsRoot: '0x61b2fb7502c532ca7ca507eedbdb3b784a72f7eaa5dade3cc43f4dcf3cb07dc1',
  stateRoot: '0x275298970615b7a2ed9f2adab7a8169617b8baaa06d1a8a649245436825c4e74',
  receiptsRoot: '0xf78dfb743fbd92ade140711c8bbc542b5e307f0ab7984eff35d751969fe57efa',
  miner: coinbase,
  difficulty: '0x0',
  extraData: '0x',
  gasLimit: '0x3938700',
  gasUsed: '0x5208',
  timestamp: '0x6af952a6',
  mixHash: '0x426c2e434f3eb145c157ca4d9c1546cfc16a512207441032f3e3f24c06d6e194',
  baseFeePerGas: '0x342770c0',
  withdrawalsRoot: emptyRoot,
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: zeroWord,
  requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
}

export const block = {
  ...header,
  size: '0x2e4',
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

const simulatedHash = '0x178846c50af1f6459ca9a1afceb96f51f6e99fb376bd8d06ffa5c3e413ab45a9'
const simulatedTransaction = '0x0b5fb488d2f6f03e9e94b39eabe7d9528341eb5f6d63a6fdd94cdf55949d3293'
const asTopic = (address: string): string => `0x${'00'.repeat(12)}${address.slice(2)}`

/** The first block of a chain, if one wei were sent in it. */
export const simulatedBlock = {
  ...block,
  baseFeePerGas: '0x0',
  hash: simulatedHash,
  mixHash: zeroWord,
  parentHash: '0x85feca5ed8cb3e74141fec3c75538765d1497698a78770b1b461f5378f5fe0ce',
  size: '0x28f',
  stateRoot: '0x628cd3be4d6f20e22c78ffe15266b572c3b7dfe8abe0f0df46959271b09fbaec',
  timestamp: '0x6af973e8',
  transactions: [simulatedTransaction],
  transactionsRoot: '0x3348505c81ebd99794c441619a92c0bfa34d4da1ae0ef86b3cd41a10d5881032',
  calls: [
    {
      returnData: '0x',
      logs: [
        {
          address: `0x${'ee'.repeat(20)}`,
          topics: [transferTopic, asTopic(alice), asTopic(bob)],
          data: `0x${'00'.repeat(31)}01`,
          blockNumber: '0x1',
          transactionHash: simulatedTransaction,
          transactionIndex: '0x0',
          blockHash: simulatedHash,
          blockTimestamp: '0x6af973e8',
          logIndex: '0x0',
          removed: false,
        },
      ],
      gasUsed: '0x5208',
      maxUsedGas: '0x5208',
      status: '0x1',
    },
  ],
}

export const typedData = {
  types: {
    Mail: [
      { name: 'to', type: 'address' },
      { name: 'text', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Mail', version: '1', chainId: 31337 },
  message: { to: bob, text: 'hello' },
}

/** The signature of the typed data by the first account. */
export const typedDataSignature =
  '0x4e5466c0fcb27b6d7a63261447858a1ddd98bd9749314afdfe6e030bef4b24872cdfd0d0fc18caf68c6887583ead60fb5c516e41' +
  '8cf74cc39cec3689d628e7371b'

/** The transfer without a signature. */
export const filledTransaction = {
  raw:
    '0x02f4827a6980843b9aca0084773594008252089470997970c51812dc3a010c7d01b50e0d17dc79c8880de0b6b3a764000080' +
    'c0808080',
  tx: {
    ...pendingTransaction,
    hash: '0xadc20f723b3ba6658605c3d6eec05889d76b71ae68838e3b1e4650fe635e5fbb',
    r: '0x0',
    s: '0x0',
  },
}

const noBloom = '00'.repeat(256)

export const headerRlp =
  '0xf90261a0999a61682c7c2b0a11b14178660d4d82217bd3550b780ed8ebc70cac87bb93b5a01dcc4de8dec75d7aab85b567' +
  'b6ccd41ad312451b948a7413f0a142fd40d4934794bcd4042de499d14e55001ccbb24a551f3b954096a0275298970615b7a2' +
  'ed9f2adab7a8169617b8baaa06d1a8a649245436825c4e74a061b2fb7502c532ca7ca507eedbdb3b784a72f7eaa5dade3cc4' +
  '3f4dcf3cb07dc1a0f78dfb743fbd92ade140711c8bbc542b5e307f0ab7984eff35d751969fe57efab90100' +
  noBloom +
  '80018403938700825208846af952a680a0426c2e434f3eb145c157ca4d9c1546cfc16a512207441032f3e3f24c06d6e194' +
  '88000000000000000084342770c0a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b4218080a0' +
  '0000000000000000000000000000000000000000000000000000000000000000a0e3b0c44298fc1c149afbf4c8996fb92427' +
  'ae41e4649b934ca495991b7852b855'

/** The RLP of the block: the header, one transaction, no uncles and no withdrawals. */
export const blockRlp = `0xf902e1${headerRlp.slice(2)}f879b877${rawTransaction.slice(2)}c0c0`

export const receiptRlp = `0x02f9010801825208b90100${noBloom}c0`

/** The proof of an account of that state. */
export const proof = {
  address: bob,
  accountProof: [
    '0xf90191a07f5d42249ac00423333832f0851c679e9d3573cfc53bd5c9eeb87489c8c763caa01689b2a5203afd9ea0a0ca37' +
      '65e4a538c7176e53eac1f8307a344ffc3c61765580a04213d6ff26789d75653aa04dbbd745b52a33f9d5880def112a68fe81' +
      'b840d942a0aa67a1dbdbf9f311649479ca0871cd274a36fe84de872b4fe94b979a614eefdca07e56f2f326dc0a6bb22a0fdc' +
      '58af094cd465ab4a27c9aaaef9413be1da26cb57a0a8144df2976626d1d822e0ecdfa27aee67997e57f5d2d15b5fffa0c7de' +
      '587f5180a04b29efa44ecf50c19b34950cf1d0f05e00568bcc873120fbea9a4e8439de0962a0d0a1bfe5b45d2d863a794f01' +
      '6450a4caca04f3b599e8d1652afca8b752935fd880a0bf9b09e442e044778b354abbadb5ec049d7f5e8b585c3966d476c4fb' +
      'c9a181d280a04a25b672fdc0798bcc8f02144c684178437e0dd2a4531699e5f12c28154d0b6ba0b9a56f1651d9896ab4277b' +
      '932f6c4baf4dd926249f0be3ec6b611798745f1883a0e5c557a0ce3894afeb44c37f3d24247f67dc76a174d8cacc360c1210' +
      'eef60a7680',
    '0xf851a0ad6a0d4a4635fd4661dbed46427654d4890dd8cb6fe024558702de159815b4ba808080808080808080808080a0f2' +
      '15e6bc9ca85972bc2488943dca80313a019f5eb569cc6ee3dc8c2af68734af808080',
    '0xf873a020314e565e0574cb412563df634608d76f5c59d9f817e85966100ec1d48005c0b850f84e808a021e27c1806e59a4' +
      '0000a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421a0c5d2460186f7233c927e7db2dcc7' +
      '03c0e500b653ca82273b7bfad8045d85a470',
  ],
  balance: '0x21e27c1806e59a40000',
  codeHash: emptyCodeHashHex,
  nonce: '0x0',
  storageHash: emptyRoot,
  storageProof: [],
}

/** The first account of that state in the order of hashed addresses. */
export const stateDump = {
  root: '275298970615b7a2ed9f2adab7a8169617b8baaa06d1a8a649245436825c4e74',
  accounts: {
    '0x70997970C51812dc3A010C7d01b50e0d17dc79C8': {
      balance: '10001000000000000000000',
      nonce: 0,
      root: emptyRoot,
      codeHash: emptyCodeHashHex,
      address: bob,
      key: '0x00314e565e0574cb412563df634608d76f5c59d9f817e85966100ec1d48005c0',
    },
  },
  next: '0x0d6aea581b220579a2b99819299dd32c7c28a420018ecb0bde93af007ad89a31',
}

const precompile = (address: number): string => `0x${address.toString(16).padStart(40, '0')}`

export const clientConfig = {
  current: {
    activationTime: 0,
    blobSchedule: { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 },
    chainId: '0x7a69',
    forkId: '0x0a71ad2b',
    precompiles: { ECREC: precompile(1), SHA256: precompile(2), RIPEMD160: precompile(3), ID: precompile(4) },
    systemContracts: { HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935' },
  },
  next: null,
  last: null,
}

export const memoryStats = {
  rss: 148_230_144,
  external: 4_190_022,
  arrayBuffers: 3_044_210,
  heap: { used: 31_204_880, total: 45_391_872, limit: 4_345_298_944 },
  threads: { main: { used: 31_204_880, total: 45_391_872 }, 'app-1': { used: 9_120_440, total: 14_155_776 } },
}

export const gcStats = {
  since: '2026-11-15T08:00:00.000Z',
  count: 2,
  pauseMilliseconds: 3.25,
  last: '2026-11-15T08:01:00.000Z',
  byKind: { minor: { count: 2, milliseconds: 3.25, longest: 2 } },
  recentPauseMilliseconds: [2, 1.25],
}

export const stacks =
  'app-1: waits for work\n\ncall-3: runs\n    at run (file:///opt/perihelion/dist/execute/call/runner.js:42:5)'
