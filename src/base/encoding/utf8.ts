import { decodeUtf8, encodeUtf8 } from '#platform/binary'

/** Text and its bytes: what is not Unicode becomes U+FFFD on both ways. */
export { decodeUtf8, encodeUtf8 }
