/**
 * Cases of the official suite that are not answered as recorded, each with its reason. A case that is listed here and
 * passes fails the run: its line has to go.
 */
export const exceptions: Readonly<Record<string, string>> = {
  'eth_capabilities/get-capabilities':
    'geth names the window of its log index; logs are kept with blocks here',
  'eth_getLogs/filter-error-future-block-range': 'issue on logs',
  'eth_getLogs/filter-error-reversed-block-range': 'issue on logs',
  'eth_getLogs/filter-with-blockHash': 'issue on logs',
  'eth_getLogs/filter-with-blockHash-and-topics': 'issue on logs',
  'eth_getLogs/topic-exact-match': 'issue on logs',
  'eth_getLogs/topic-null-wildcard': 'issue on logs',
  'eth_sendRawTransaction/send-blob-tx': 'blobs are not taken: nobody checks their proofs yet',
  'testing_buildBlockV1/build-block-empty-transactions':
    'out of scope: a method for consensus clients’ tests',
  'testing_buildBlockV1/build-block-invalid-transaction':
    'out of scope: a method for consensus clients’ tests',
  'testing_buildBlockV1/build-block-with-transactions': 'out of scope: a method for consensus clients’ tests',
}
