/** Scripts of the kinds that geth ships, and one for each part of what a script may ask. Texts as a client sends them. */
export const scripts: Readonly<Record<string, string>> = {
  unigram: `{
    seen: {}, total: 0,
    step: function(log) { var name = log.op.toString(); this.seen[name] = (this.seen[name] || 0) + 1; this.total++ },
    fault: function(log) {},
    result: function(ctx) { return { total: this.total, seen: this.seen } }
  }`,

  bigram: `{
    pairs: {}, before: '',
    step: function(log) {
      var name = log.op.toString()
      if (this.before) { var key = this.before + '-' + name; this.pairs[key] = (this.pairs[key] || 0) + 1 }
      this.before = name
    },
    fault: function(log) { this.before = '' },
    result: function(ctx) { return this.pairs }
  }`,

  trigram: `{
    triples: {}, last: ['', ''],
    step: function(log) {
      var name = log.op.toString(), key = this.last[0] + '-' + this.last[1] + '-' + name
      this.triples[key] = (this.triples[key] || 0) + 1
      this.last = [this.last[1], name]
    },
    fault: function(log) {},
    result: function(ctx) { return this.triples }
  }`,

  opcount: `{
    count: 0,
    step: function() { this.count++ },
    fault: function() {},
    result: function() { return this.count }
  }`,

  /** What each instruction took from and put on the stack, for a disassembler. */
  evmdis: `{
    frames: [[]], pushes: 0,
    step: function(log) {
      var depth = log.getDepth(), open = this.frames
      while (open.length > depth) { var inner = open.pop(); var list = open[open.length - 1]; list[list.length - 1].ops = inner }
      if (open.length < depth) open.push([])
      var now = open[depth - 1]
      if (this.pushes > 0 && now.length > 0) {
        now[now.length - 1].result = []
        for (var i = this.pushes - 1; i >= 0; i--)
          if (i < log.stack.length()) now[now.length - 1].result.push(log.stack.peek(i).toString(16))
      }
      var op = log.op.toNumber()
      this.pushes = op >= 0x80 && op <= 0x8f ? op - 0x7e : op >= 0x90 && op <= 0x9f ? op - 0x8e : log.op.isPush() ? 1 : 0
      var item = { op: op, depth: depth, len: log.stack.length(), gas: log.getGas(), cost: log.getCost(), pc: log.getPC() }
      if (log.op.toString() === 'CALL') item.value = log.stack.peek(2)
      if (log.op.toString() === 'RETURN' || log.op.toString() === 'REVERT') {
        var from = log.stack.peek(0).valueOf(), size = log.stack.peek(1).valueOf()
        item.data = toHex(log.memory.slice(from, from + size))
      }
      now.push(item)
    },
    fault: function(log, db) {
      var now = this.frames[this.frames.length - 1]
      if (now.length > 0) now[now.length - 1].error = log.getError()
    },
    result: function() {
      while (this.frames.length > 1) {
        var inner = this.frames.pop(), list = this.frames[this.frames.length - 1]
        if (list.length > 0) list[list.length - 1].ops = inner
      }
      return this.frames[0]
    }
  }`,

  /** The tree of calls, put together from instructions alone. */
  callByStep: `{
    open: [{}], descended: false,
    step: function(log, db) {
      var error = log.getError()
      if (error !== undefined) return this.fault(log, db)
      var name = log.op.toString(), top = this.open[this.open.length - 1]
      if (this.descended) {
        if (log.getDepth() >= this.open.length) top.gas = log.getGas()
        this.descended = false
      }
      if (log.getDepth() === this.open.length - 1) {
        var call = this.open.pop()
        var result = log.stack.length() > 0 ? log.stack.peek(0) : bigInt.zero
        call.ok = !result.equals(0)
        if (call.type === 'CREATE' || call.type === 'CREATE2') {
          call.to = toHex(toAddress(result.toString(16)))
          if (call.ok) call.code = toHex(db.getCode(toAddress(result.toString(16))))
        }
        var parent = this.open[this.open.length - 1]
        ;(parent.calls = parent.calls || []).push(call)
      }
      if (name === 'CREATE' || name === 'CREATE2') {
        var at = log.stack.peek(1).valueOf(), end = at + log.stack.peek(2).valueOf()
        this.open.push({ type: name, from: toHex(log.contract.getAddress()), input: toHex(log.memory.slice(at, end)), value: '0x' + log.stack.peek(0).toString(16) })
        this.descended = true
      } else if (name === 'SELFDESTRUCT') {
        var up = this.open[this.open.length - 1]
        ;(up.calls = up.calls || []).push({ type: name, from: toHex(log.contract.getAddress()), to: toHex(toAddress(log.stack.peek(0).toString(16))), value: '0x' + db.getBalance(log.contract.getAddress()).toString(16) })
      } else if (name === 'CALL' || name === 'CALLCODE' || name === 'DELEGATECALL' || name === 'STATICCALL') {
        var target = toAddress(log.stack.peek(1).toString(16))
        if (isPrecompiled(target)) return
        var off = name === 'DELEGATECALL' || name === 'STATICCALL' ? 0 : 1
        var from = log.stack.peek(2 + off).valueOf()
        var made = { type: name, from: toHex(log.contract.getAddress()), to: toHex(target), input: toHex(log.memory.slice(from, from + log.stack.peek(3 + off).valueOf())) }
        if (off) made.value = '0x' + log.stack.peek(2).toString(16)
        this.open.push(made)
        this.descended = true
      } else if (name === 'REVERT') this.open[this.open.length - 1].error = 'execution reverted'
    },
    fault: function(log, db) {
      var top = this.open[this.open.length - 1]
      if (top.error === undefined) top.error = log.getError()
    },
    result: function(ctx, db) {
      var top = this.open[0]
      top.type = ctx.type; top.from = toHex(ctx.from); top.to = toHex(ctx.to); top.input = toHex(ctx.input)
      top.value = '0x' + ctx.value.toString(16); top.output = toHex(ctx.output)
      top.gas = ctx.gas; top.gasUsed = ctx.gasUsed
      if (ctx.error !== undefined) top.error = ctx.error
      return top
    }
  }`,

  /** The same by the hooks that are made for it. */
  callByFrame: `{
    open: [{ calls: [] }],
    enter: function(frame) {
      var value = frame.getValue()
      this.open.push({ type: frame.getType(), from: toHex(frame.getFrom()), to: toHex(frame.getTo()), input: toHex(frame.getInput()), gas: frame.getGas(), value: value === undefined ? 'none' : value.toString(), calls: [] })
    },
    exit: function(result) {
      var call = this.open.pop()
      call.gasUsed = result.getGasUsed(); call.output = toHex(result.getOutput()); call.error = result.getError()
      this.open[this.open.length - 1].calls.push(call)
    },
    fault: function() {},
    result: function(ctx) { return { calls: this.open[0].calls, type: ctx.type, gasUsed: ctx.gasUsed, error: ctx.error } }
  }`,

  /** The state before, of all that instructions look at. */
  prestate: `{
    found: {},
    account: function(address, db) {
      var key = toHex(address)
      if (this.found[key] === undefined) this.found[key] = { balance: '0x' + db.getBalance(address).toString(16), nonce: db.getNonce(address), code: toHex(db.getCode(address)), exists: db.exists(address), storage: {} }
    },
    slot: function(address, key, db) {
      this.account(address, db)
      var storage = this.found[toHex(address)].storage
      if (storage[toHex(key)] === undefined) storage[toHex(key)] = toHex(db.getState(address, key))
    },
    step: function(log, db) {
      var here = log.contract.getAddress()
      this.account(here, db)
      switch (log.op.toString()) {
        case 'SLOAD': case 'SSTORE':
          this.slot(here, toWord(log.stack.peek(0).toString(16)), db); break
        case 'BALANCE': case 'EXTCODESIZE': case 'EXTCODECOPY': case 'EXTCODEHASH': case 'SELFDESTRUCT':
          this.account(toAddress(log.stack.peek(0).toString(16)), db); break
        case 'CALL': case 'CALLCODE': case 'DELEGATECALL': case 'STATICCALL':
          this.account(toAddress(log.stack.peek(1).toString(16)), db); break
        case 'CREATE':
          this.account(toContract(here, db.getNonce(here)), db); break
        case 'CREATE2':
          var at = log.stack.peek(1).valueOf(), end = at + log.stack.peek(2).valueOf()
          this.account(toContract2(here, log.stack.peek(3).toString(16), log.memory.slice(at, end)), db)
      }
    },
    fault: function() {},
    result: function(ctx, db) { this.account(ctx.to, db); return this.found }
  }`,

  context: `{
    step: function() {}, fault: function() {},
    result: function(ctx) {
      return { keys: Object.keys(ctx).sort(), type: ctx.type, from: toHex(ctx.from), to: toHex(ctx.to), input: toHex(ctx.input), gas: ctx.gas, gasUsed: ctx.gasUsed, gasPrice: ctx.gasPrice, value: ctx.value, block: ctx.block, coinbase: toHex(ctx.coinbase), output: toHex(ctx.output), error: ctx.error }
    }
  }`,

  contract: `{
    seen: [],
    step: function(log) {
      var c = log.contract
      var line = [log.getDepth(), toHex(c.getCaller()), toHex(c.getAddress()), c.getValue().toString(), toHex(c.getInput())].join(' ')
      if (this.seen[this.seen.length - 1] !== line) this.seen.push(line)
    },
    fault: function() {},
    result: function() { return this.seen }
  }`,

  figures: `{
    lines: [],
    step: function(log) { this.lines.push([log.getPC(), log.op.toNumber(), log.op.isPush(), log.getGas(), log.getCost(), log.getDepth(), log.getRefund(), log.stack.length(), log.memory.length(), log.getError()]) },
    fault: function(log) { this.lines.push(['fault', log.getPC(), log.op.toString(), log.getError()]) },
    result: function() { return this.lines }
  }`,

  memory: `{
    seen: [],
    step: function(log) {
      if (log.memory.length() >= 32 && log.op.toString() !== 'JUMPDEST')
        this.seen.push([log.memory.getUint(0).toString(16), toHex(log.memory.slice(30, 40)), toHex(log.memory.slice(5, 5))])
    },
    fault: function() {},
    result: function() { return this.seen.slice(0, 40) }
  }`,

  integers: `{
    fault: function() {},
    result: function() {
      var a = bigInt('123456789012345678901234567890'), b = bigInt('ff', 16), c = bigInt(-7)
      return [a.add(b), a.minus(1), a.times(b), a.over(1000), a.mod(97), c.divmod(2), b.pow(20), a.and(b), b.or(256), b.xor(15), c.not(), b.shiftLeft(100), a.shiftRight(40), a.toString(16), b.toString(2), a.equals(a), a.gt(b), a.lt(b), c.isNegative(), b.isOdd(), bigInt.zero, bigInt.one, bigInt(5).compare(6), bigInt('0x10'.slice(2), 16).valueOf(), a + '', b + 1, bigInt.gcd(12, 18), bigInt.lcm(4, 6), bigInt.min(3, 4), bigInt.max(3, 4), c.abs(), c.negate(), b.next(), b.prev(), b.square(), bigInt(3).modPow(100, 7), bigInt(3).modInv(11), b.isDivisibleBy(5), bigInt('1e3'), bigInt.isInstance(b), typeof b, JSON.stringify({ b: b })]
    }
  }`,

  helpers: `{
    fault: function() {},
    result: function() {
      var bytes = toAddress('0x1122')
      return [toHex(bytes), toHex([1, 2, 255]), toHex(toWord('abc')), toHex(toWord([1, 2])), toHex(slice(bytes, 18, 20)), toHex(toContract('0x01', 0)), toHex(toContract(bytes, 300)), toHex(toContract2(bytes, '0x05', '0x6000')), isPrecompiled(toAddress('0x01')), isPrecompiled(toAddress('0x0100')), isPrecompiled(bytes), bytes, toWord('0x').length]
    }
  }`,

  setup: `{
    setup: function(config) { this.config = config },
    fault: function() {},
    result: function() { return [this.config, JSON.parse(this.config)] }
  }`,

  nothing: `{ fault: function() {}, result: function() {} }`,
  resultNull: `{ fault: function() {}, result: function() { return null } }`,
  resultTrue: `{ fault: function() {}, result: function() { return true } }`,
  resultFunction: `{ fault: function() {}, result: function() { return function() {} } }`,
  resultNotANumber: `{ fault: function() {}, result: function() { return NaN } }`,
  resultInfinite: `{ fault: function() {}, result: function() { return 1 / 0 } }`,
  resultMinusZero: `{ fault: function() {}, result: function() { return -0 } }`,
  resultText: `{ fault: function() {}, result: function() { return '\\u00e9\\u20ac<&>\\\\n' } }`,
  resultDate: `{ fault: function() {}, result: function() { return new Date(0) } }`,
  resultSymbol: `{ fault: function() {}, result: function() { return Symbol('x') } }`,
  resultFraction: `{ fault: function() {}, result: function() { return 1.5e300 } }`,
  resultArray: `{ fault: function() {}, result: function() { return [undefined, function() {}, NaN, null] } }`,
  resultMembers: `{ fault: function() {}, result: function() { return { a: undefined, b: null, c: NaN, d: [], e: {}, f: true } } }`,
  resultWrapped: `{ fault: function() {}, result: function() { return new String("x") } }`,
  resultLoneSurrogate: `{ fault: function() {}, result: function() { return '\\ud800' } }`,
  resultError: `{ fault: function() {}, result: function() { return new Error('x') } }`,
  resultMap: `{ fault: function() {}, result: function() { return new Map([[1, 2]]) } }`,
  resultBytes: `{ fault: function() {}, result: function() { return new Uint8Array([1, 2]) } }`,
  resultBigInteger: `{ fault: function() {}, result: function() { return bigInt(5) } }`,
  resultJson: `{ fault: function() {}, result: function() { return { toJSON: function() { return 'own' } } } }`,
  lateBalance: `{ fault: function() {}, result: function(ctx, db) { return [db.getBalance(ctx.to), db.getNonce(ctx.from), db.exists(toAddress('0x123456'))] } }`,
  stackTooDeep: `{ step: function(log) { log.stack.peek(9999) }, fault: function() {}, result: function() { return 1 } }`,
  memoryTooFar: `{ step: function(log) { try { log.memory.slice(0, 2000000) } catch (e) {} }, fault: function() {}, result: function() { return 1 } }`,
  wrongBuffer: `{ step: function() { toHex('0x00') }, fault: function() {}, result: function() { return 1 } }`,
  throwing: `{ step: function() { throw new Error('no more') }, fault: function() {}, result: function() { return 1 } }`,
  throwingText: `{ fault: function() {}, result: function() { throw 'enough' } }`,
  noResult: `{ fault: function() {} }`,
  noFault: `{ result: function() {} }`,
  halfFrames: `{ enter: function() {}, fault: function() {}, result: function() {} }`,
  badSyntax: `{ result: function( }`,
  noSuchName: `fooTracer`,
}
