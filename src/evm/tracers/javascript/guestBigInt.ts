/**
 * `bigInt` as geth offers it to scripts: an object with methods for arithmetic, over the engine's integers.
 * This is guest code; it runs in the sandbox before any script.
 */
export const guestBigInt = String.raw`
const makeBigInt = () => {
  const native = (value) => {
    if (value instanceof BigInteger) return value.value
    if (typeof value === 'bigint') return value
    return parse(value, 10).value
  }
  const digits = '0123456789abcdefghijklmnopqrstuvwxyz'
  const parseDigits = (text, base) => {
    let total = 0n
    for (const digit of text) {
      const place = digits.indexOf(digit)
      if (place < 0 || BigInt(place) >= base) throw new Error(digit + ' is not a valid digit in base ' + base + '.')
      total = total * base + BigInt(place)
    }
    return total
  }
  const parseDecimal = (text) => {
    const parts = /^([+-]?)(\d*)\.?(\d*)(?:e\+?(-?\d+))?$/.exec(text)
    if (parts === null || parts[2] + parts[3] === '') throw new Error('Invalid integer: ' + text)
    const places = Number(parts[4] || 0) - parts[3].length
    if (places < 0) {
      const cut = (parts[2] + parts[3]).slice(places)
      if (/[1-9]/.test(cut)) throw new Error('Invalid integer: ' + text)
      const kept = (parts[2] + parts[3]).slice(0, places) || '0'
      return parts[1] === '-' ? -BigInt(kept) : BigInt(kept)
    }
    if (places > 100000) throw new Error('Invalid integer: ' + text)
    const whole = BigInt((parts[2] + parts[3]) + '0'.repeat(places))
    return parts[1] === '-' ? -whole : whole
  }
  const parse = (value, base) => {
    if (value === undefined) return zero
    if (value instanceof BigInteger) return value
    if (typeof value === 'bigint') return new BigInteger(value)
    if (typeof value === 'number') {
      if (!Number.isInteger(value)) throw new Error(value + ' is not an integer.')
      return new BigInteger(BigInt(value))
    }
    const text = String(value).trim().toLowerCase()
    if (Number(base) === 10) return new BigInteger(parseDecimal(text))
    const isNegative = text[0] === '-'
    const total = parseDigits(isNegative || text[0] === '+' ? text.slice(1) : text, BigInt(base))
    return new BigInteger(isNegative ? -total : total)
  }
  const abs = (value) => (value < 0n ? -value : value)
  const compare = (a, b) => (a === b ? 0 : a > b ? 1 : -1)
  const power = (base, exponent, modulus) => {
    let result = 1n
    let factor = base % modulus
    for (let rest = exponent; rest > 0n; rest >>= 1n) {
      if (rest & 1n) result = (result * factor) % modulus
      factor = (factor * factor) % modulus
    }
    return result
  }
  const gcd = (a, b) => {
    let [x, y] = [abs(a), abs(b)]
    while (y > 0n) [x, y] = [y, x % y]
    return x
  }
  const isPrime = (value) => {
    const n = abs(value)
    if (n < 2n) return false
    for (const small of [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n]) {
      if (n === small) return true
      if (n % small === 0n) return false
    }
    let odd = n - 1n
    while (odd % 2n === 0n) odd /= 2n
    for (const base of [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n]) {
      let x = power(base, odd, n)
      let step = odd
      while (step !== n - 1n && x !== 1n && x !== n - 1n) {
        x = (x * x) % n
        step *= 2n
      }
      if (x !== n - 1n && step % 2n === 0n) return false
    }
    return true
  }
  const divide = (a, b) => {
    if (b === 0n) throw new Error('Cannot divide by zero')
    return a / b
  }
  const remainder = (a, b) => {
    if (b === 0n) throw new Error('Cannot divide by zero')
    return a % b
  }
  const inverse = (value, modulus) => {
    let [t, next, r, rest] = [0n, 1n, modulus, abs(value)]
    while (rest !== 0n) {
      const quotient = r / rest
      ;[t, next] = [next, t - quotient * next]
      ;[r, rest] = [rest, r - quotient * rest]
    }
    if (r !== 1n) throw new Error(value + ' and ' + modulus + ' are not co-prime')
    if (t < 0n) t += modulus
    return value < 0n ? -t : t
  }

  class BigInteger {
    constructor(value) {
      this.value = value
    }
    abs() { return new BigInteger(abs(this.value)) }
    negate() { return new BigInteger(-this.value) }
    square() { return new BigInteger(this.value * this.value) }
    next() { return new BigInteger(this.value + 1n) }
    prev() { return new BigInteger(this.value - 1n) }
    not() { return new BigInteger(~this.value) }
    add(other) { return new BigInteger(this.value + native(other)) }
    subtract(other) { return new BigInteger(this.value - native(other)) }
    multiply(other) { return new BigInteger(this.value * native(other)) }
    divide(other) { return new BigInteger(divide(this.value, native(other))) }
    mod(other) { return new BigInteger(remainder(this.value, native(other))) }
    divmod(other) { return { quotient: this.divide(other), remainder: this.mod(other) } }
    pow(other) {
      const exponent = native(other)
      if (exponent < 0n && abs(this.value) !== 1n) return zero
      return new BigInteger(this.value ** abs(exponent))
    }
    modPow(exponent, modulus) {
      const [e, m] = [native(exponent), native(modulus)]
      if (m === 0n) throw new Error('Cannot take modPow with modulus 0')
      return new BigInteger(e < 0n ? power(inverse(this.value, m), -e, m) : power(this.value, e, m))
    }
    modInv(other) { return new BigInteger(inverse(this.value, native(other))) }
    and(other) { return new BigInteger(this.value & native(other)) }
    or(other) { return new BigInteger(this.value | native(other)) }
    xor(other) { return new BigInteger(this.value ^ native(other)) }
    shiftLeft(count) { return new BigInteger(this.value << native(count)) }
    shiftRight(count) { return new BigInteger(this.value >> native(count)) }
    compare(other) {
      if (other === Infinity) return -1
      if (other === -Infinity) return 1
      return compare(this.value, native(other))
    }
    compareAbs(other) {
      if (other === Infinity || other === -Infinity) return -1
      return compare(abs(this.value), abs(native(other)))
    }
    equals(other) { return this.compare(other) === 0 }
    notEquals(other) { return this.compare(other) !== 0 }
    greater(other) { return this.compare(other) > 0 }
    lesser(other) { return this.compare(other) < 0 }
    greaterOrEquals(other) { return this.compare(other) >= 0 }
    lesserOrEquals(other) { return this.compare(other) <= 0 }
    isEven() { return (this.value & 1n) === 0n }
    isOdd() { return (this.value & 1n) === 1n }
    isPositive() { return this.value > 0n }
    isNegative() { return this.value < 0n }
    isUnit() { return abs(this.value) === 1n }
    isZero() { return this.value === 0n }
    isDivisibleBy(other) {
      const divisor = native(other)
      return divisor !== 0n && this.value % divisor === 0n
    }
    isPrime() { return isPrime(this.value) }
    isProbablePrime() { return isPrime(this.value) }
    toString(radix) { return this.value.toString(radix === undefined ? 10 : Number(radix)) }
    toJSON() { return this.value.toString() }
    toJSNumber() { return Number(this.value) }
    valueOf() { return Number(this.value) }
  }
  const synonyms = {
    plus: 'add', minus: 'subtract', times: 'multiply', over: 'divide', remainder: 'mod', compareTo: 'compare',
    eq: 'equals', neq: 'notEquals', gt: 'greater', lt: 'lesser', geq: 'greaterOrEquals', leq: 'lesserOrEquals',
  }
  for (const name in synonyms) BigInteger.prototype[name] = BigInteger.prototype[synonyms[name]]

  const zero = new BigInteger(0n)
  const bigInt = (value, base) => (base === undefined ? parse(value, 10) : parse(value, base))
  for (let i = -999; i < 1000; i++) bigInt[i] = new BigInteger(BigInt(i))
  bigInt.zero = zero
  bigInt.one = bigInt[1]
  bigInt.minusOne = bigInt[-1]
  bigInt.max = (a, b) => (parse(a, 10).greater(b) ? parse(a, 10) : parse(b, 10))
  bigInt.min = (a, b) => (parse(a, 10).lesser(b) ? parse(a, 10) : parse(b, 10))
  bigInt.gcd = (a, b) => new BigInteger(gcd(native(a), native(b)))
  bigInt.lcm = (a, b) => new BigInteger((abs(native(a)) / gcd(native(a), native(b))) * abs(native(b)))
  bigInt.isInstance = (value) => value instanceof BigInteger
  bigInt.randBetween = (a, b) => {
    const [low, high] = [native(bigInt.min(a, b)), native(bigInt.max(a, b))]
    return new BigInteger(low + (BigInt(Math.floor(Math.random() * 2 ** 52)) * (high - low + 1n)) / 2n ** 52n)
  }
  bigInt.fromArray = (list, base, isNegative) => {
    const radix = native(base === undefined ? 10 : base)
    const total = list.reduce((sum, digit) => sum * radix + native(digit), 0n)
    return new BigInteger(isNegative ? -total : total)
  }
  return { bigInt, ofNative: (value) => new BigInteger(value) }
}
`
