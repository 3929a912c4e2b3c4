export const randomUint64 = (): bigint => crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n
