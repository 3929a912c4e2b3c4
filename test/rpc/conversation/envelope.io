// a call and its answer
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":["hi"]}
<< {"jsonrpc":"2.0","id":1,"result":"hi"}

// members may come in any order, with white space between them
>>  { "params" : [ 1 ] , "method" : "test_echo" , "id" : 2 , "jsonrpc" : "2.0" }
<< {"jsonrpc":"2.0","id":2,"result":1}

// an id past 2^53 comes back digit for digit
>> {"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":123456789012345678901234567890,"result":1}

// an id with a fraction keeps its form
>> {"jsonrpc":"2.0","id":1.50,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":1.50,"result":1}

// an id with an exponent keeps its form
>> {"jsonrpc":"2.0","id":1e3,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":1e3,"result":1}

// a negative id
>> {"jsonrpc":"2.0","id":-7,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":-7,"result":1}

// minus zero stays minus zero
>> {"jsonrpc":"2.0","id":-0,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":-0,"result":1}

// an id that is a text
>> {"jsonrpc":"2.0","id":"abc","method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":"abc","result":1}

// escapes in an id stay as they were written
>> {"jsonrpc":"2.0","id":"\u0041\"\\","method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":"\u0041\"\\","result":1}

// an id in another script
>> {"jsonrpc":"2.0","id":"Größe 大","method":"test_echo","params":["大"]}
<< {"jsonrpc":"2.0","id":"Größe 大","result":"大"}

// an empty text is an id
>> {"jsonrpc":"2.0","id":"","method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":"","result":1}

// null is an id, and is answered
>> {"jsonrpc":"2.0","id":null,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":null,"result":1}

// without an id it is a notification: no answer
>> {"jsonrpc":"2.0","method":"test_echo","params":[1]}
<<

// a notification gets no answer when it fails either
>> {"jsonrpc":"2.0","method":"test_fail"}
<<

// a notification of an unknown method gets no answer
>> {"jsonrpc":"2.0","method":"test_unknown"}
<<

// a notification with named parameters gets no answer
>> {"jsonrpc":"2.0","method":"test_echo","params":{"value":1}}
<<

// an id of true is refused
>> {"jsonrpc":"2.0","id":true,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: \"id\" must be a number, a string or null"}}

// an id that is an array is refused
>> {"jsonrpc":"2.0","id":[1],"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: \"id\" must be a number, a string or null"}}

// an id that is an object is refused
>> {"jsonrpc":"2.0","id":{},"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: \"id\" must be a number, a string or null"}}

// jsonrpc must be there
>> {"id":1,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: \"jsonrpc\" must be \"2.0\", got nothing"}}

// jsonrpc 1.0 is refused
>> {"jsonrpc":"1.0","id":1,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: \"jsonrpc\" must be \"2.0\", got \"1.0\""}}

// jsonrpc as a number is refused
>> {"jsonrpc":2.0,"id":1,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: \"jsonrpc\" must be \"2.0\", got 2"}}

// a method must be named
>> {"jsonrpc":"2.0","id":1,"params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: \"method\" must be a string, got nothing"}}

// a method that is a number
>> {"jsonrpc":"2.0","id":1,"method":7,"params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: \"method\" must be a string, got 7"}}

// a method that is null
>> {"jsonrpc":"2.0","id":1,"method":null}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: \"method\" must be a string, got null"}}

// a method that is an array
>> {"jsonrpc":"2.0","id":1,"method":["test_echo"],"params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: \"method\" must be a string, got [\"test_echo\"]"}}

// an invalid request without an id is answered to null
>> {"jsonrpc":"2.0","method":1,"params":"bar"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: \"method\" must be a string, got 1"}}

// an unknown method
>> {"jsonrpc":"2.0","id":1,"method":"test_unknown","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method \"test_unknown\" does not exist"}}

// a method of a namespace that is off says so
>> {"jsonrpc":"2.0","id":1,"method":"off_echo","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method off_echo is not available: its namespace \"off\" is off (enable it with --json-rpc.api)"}}

// an empty method name
>> {"jsonrpc":"2.0","id":1,"method":"","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method \"\" does not exist"}}

// method names are case-sensitive
>> {"jsonrpc":"2.0","id":1,"method":"Test_echo","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method \"Test_echo\" does not exist"}}

// the name of an inherited property is not a method
>> {"jsonrpc":"2.0","id":1,"method":"constructor","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method \"constructor\" does not exist"}}

// nor is __proto__
>> {"jsonrpc":"2.0","id":1,"method":"__proto__","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method \"__proto__\" does not exist"}}

// nor is toString
>> {"jsonrpc":"2.0","id":1,"method":"toString","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method \"toString\" does not exist"}}

// a long method name is shortened in the error
>> {"jsonrpc":"2.0","id":1,"method":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…\" does not exist"}}

// absent params are none
>> {"jsonrpc":"2.0","id":1,"method":"test_echo"}
<< {"jsonrpc":"2.0","id":1,"result":null}

// null params are none
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":null}
<< {"jsonrpc":"2.0","id":1,"result":null}

// named parameters are refused
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":{"value":1}}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params must be an array: parameters are given by position"}}

// params that are a text are refused
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":"value"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params must be an array: parameters are given by position"}}

// too many parameters
>> {"jsonrpc":"2.0","id":1,"method":"test_add","params":[1,2,3]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"too many arguments, want at most 2, got 3"}}

// a missing parameter is named by position and name
>> {"jsonrpc":"2.0","id":1,"method":"test_add","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 0 (a)"}}

// a trailing optional parameter may be missing
>> {"jsonrpc":"2.0","id":1,"method":"test_add","params":[4]}
<< {"jsonrpc":"2.0","id":1,"result":5}

// or null
>> {"jsonrpc":"2.0","id":1,"method":"test_add","params":[4,null]}
<< {"jsonrpc":"2.0","id":1,"result":5}

// a required parameter may not be null
>> {"jsonrpc":"2.0","id":1,"method":"test_add","params":[null]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0 (a): expected a number, got null"}}

// a wrong parameter is shown
>> {"jsonrpc":"2.0","id":1,"method":"test_add","params":[1,"two"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1 (b): expected a number, got \"two\""}}

// a wrong secret is not shown
>> {"jsonrpc":"2.0","id":1,"method":"test_unlock","params":[12345]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0 (password): expected a text"}}

// an error with data
>> {"jsonrpc":"2.0","id":1,"method":"test_fail","params":["0x08c379a0"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"failed on purpose","data":"0x08c379a0"}}

// an error without data has no member for it
>> {"jsonrpc":"2.0","id":1,"method":"test_fail"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"failed on purpose"}}

// what goes wrong inside stays inside
>> {"jsonrpc":"2.0","id":1,"method":"test_crash"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}

// a handler that returns nothing is our fault
>> {"jsonrpc":"2.0","id":1,"method":"test_nothing"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}

// a result that is JSON already is copied
>> {"jsonrpc":"2.0","id":1,"method":"test_raw"}
<< {"jsonrpc":"2.0","id":1,"result":{"as":"it is"}}

// not JSON
>> {"jsonrpc":"2.0","id":1,
@: http ws
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the body is not valid JSON"}}

// a word
>> hello
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the body is not valid JSON"}}

// single quotes are not JSON
>> {'jsonrpc':'2.0'}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the body is not valid JSON"}}

// an empty body is not JSON
>>
@: http ws
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the body is not valid JSON"}}

// two values are not one
>> {"jsonrpc":"2.0","id":1,"method":"test_echo"}{"jsonrpc":"2.0","id":2,"method":"test_echo"}
@: http ws
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the body is not valid JSON"}}

// a number is not a request
>> 1
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a call is an object"}}

// nor is null
>> null
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a call is an object"}}

// nor is a text
>> "test_echo"
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a call is an object"}}

// nor is an empty object
>> {}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: \"jsonrpc\" must be \"2.0\", got nothing"}}

// the same member twice: method
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","method":"test_private","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the member \"method\" is there twice"}}

// the same member twice: id, and neither is echoed
>> {"jsonrpc":"2.0","id":1,"id":2,"method":"test_echo","params":[]}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: the member \"id\" is there twice"}}

// the same member twice: params
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":[1],"params":[2]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the member \"params\" is there twice"}}

// the same member twice: jsonrpc
>> {"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"test_echo","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the member \"jsonrpc\" is there twice"}}

// twice, once with escapes
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","\u006dethod":"test_private","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the member \"method\" is there twice"}}

// a wrongly cased member beside the right one
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","METHOD":"test_private","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the member \"METHOD\" is not allowed"}}

// a wrongly cased member alone
>> {"jsonrpc":"2.0","id":1,"Method":"test_echo"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the member \"Method\" is not allowed"}}

// a wrongly cased id
>> {"jsonrpc":"2.0","ID":1,"method":"test_echo"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: the member \"ID\" is not allowed"}}

// __proto__ as a member
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","__proto__":{"method":"test_private"}}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: the member \"__proto__\" is not allowed"}}

// __proto__ in a parameter is a name like any other
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":[{"__proto__":1}]}
<< {"jsonrpc":"2.0","id":1,"result":{"__proto__":1}}

// members that we do not know are let be
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":[1],"network":"main","networks":[{"id":5}]}
<< {"jsonrpc":"2.0","id":1,"result":1}

// what looks like a member inside a parameter is none
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":[{"id":5,"method":"\"id\":6"}]}
<< {"jsonrpc":"2.0","id":1,"result":{"id":5,"method":"\"id\":6"}}

// brackets and escapes in texts do not confuse the reader
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":["]}\\\"[{\\\\"]}
<< {"jsonrpc":"2.0","id":1,"result":"]}\\\"[{\\\\"}

// nesting of 64 levels is read
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":{{nest 63}}}
<< {"jsonrpc":"2.0","id":1,"result":{{nest 62}}}

// nesting of 65 levels is refused
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":{{nest 64}}}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: nesting deeper than 64 levels"}}

// nesting of 100,000 levels is refused
>> {"jsonrpc":"2.0","id":1,"method":"test_echo","params":{{nest 100000}}}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: nesting deeper than 64 levels"}}

// deep nesting in a member that we do not know is refused
>> {"jsonrpc":"2.0","x":{{nest 100}},"id":1,"method":"test_echo"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: nesting deeper than 64 levels"}}

// a private method without a token
>> {"jsonrpc":"2.0","id":1,"method":"test_private"}
@: http ws
<< {"jsonrpc":"2.0","id":1,"error":{"code":4100,"message":"unauthorized: test_private is private; call it with \"Authorization: Bearer <token>\" (perihelion token) or over the IPC socket"}}

// a batch of one
>> [{"jsonrpc":"2.0","id":1,"method":"test_echo","params":[1]}]
<< [{"jsonrpc":"2.0","id":1,"result":1}]

// a batch keeps the order of its calls, slow ones too
>> [{"jsonrpc":"2.0","id":1,"method":"test_sleep","params":[20]},{"jsonrpc":"2.0","id":2,"method":"test_echo","params":[2]},{"jsonrpc":"2.0","id":"c","method":"test_raw"}]
<< [{"jsonrpc":"2.0","id":1,"result":20},{"jsonrpc":"2.0","id":2,"result":2},{"jsonrpc":"2.0","id":"c","result":{"as":"it is"}}]

// equal ids in a batch are the client's own affair
>> [{"jsonrpc":"2.0","id":1,"method":"test_echo","params":[1]},{"jsonrpc":"2.0","id":1,"method":"test_echo","params":[2]}]
<< [{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":1,"result":2}]

// an empty batch is refused as a whole
>> []
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}

// so is an empty batch with white space in it
>> [  ]
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}

// notifications in a batch get no answer
>> [{"jsonrpc":"2.0","method":"test_echo"},{"jsonrpc":"2.0","id":2,"method":"test_echo","params":[2]},{"jsonrpc":"2.0","method":"test_fail"}]
<< [{"jsonrpc":"2.0","id":2,"result":2}]

// a batch of notifications alone gets an empty answer
>> [{"jsonrpc":"2.0","method":"test_echo"},{"jsonrpc":"2.0","method":"test_fail"}]
<<

// what is not a call in a batch is answered in its place
>> [1,{"jsonrpc":"2.0","id":2,"method":"test_echo","params":[2]},[],null,{"foo":"boo"}]
<< [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a call is an object"}},{"jsonrpc":"2.0","id":2,"result":2},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a call is an object"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a call is an object"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: \"jsonrpc\" must be \"2.0\", got nothing"}}]

// errors of single calls stay with them
>> [{"jsonrpc":"2.0","id":1,"method":"test_unknown"},{"jsonrpc":"2.0","id":2,"method":"test_add","params":["x"]},{"jsonrpc":"2.0","id":3,"method":"test_crash"},{"jsonrpc":"2.0","id":4,"method":"test_add","params":[1,1]}]
<< [{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method \"test_unknown\" does not exist"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"invalid argument 0 (a): expected a number, got \"x\""}},{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"internal error"}},{"jsonrpc":"2.0","id":4,"result":2}]

// a batch is authorised call by call
>> [{"jsonrpc":"2.0","id":1,"method":"test_private"},{"jsonrpc":"2.0","id":2,"method":"test_echo","params":[2]}]
@: http ws
<< [{"jsonrpc":"2.0","id":1,"error":{"code":4100,"message":"unauthorized: test_private is private; call it with \"Authorization: Bearer <token>\" (perihelion token) or over the IPC socket"}},{"jsonrpc":"2.0","id":2,"result":2}]

// batches do not nest
>> [[{"jsonrpc":"2.0","id":1,"method":"test_echo"}]]
<< [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: a call is an object"}}]

// a batch over the limit gets one error with the first id
>> [{"jsonrpc":"2.0","id":"first","method":"test_echo"},{{calls 10}}]
<< {"jsonrpc":"2.0","id":"first","error":{"code":-32600,"message":"batch too large: at most 10 calls (batch-request-limit)"}}

// the first id there is, where the first call has none
>> [{"jsonrpc":"2.0","method":"test_echo"},{{calls 10}}]
<< {"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"batch too large: at most 10 calls (batch-request-limit)"}}

// a batch at the limit runs
>> [{{calls 10}}]
<< [{"jsonrpc":"2.0","id":0,"result":0},{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2},{"jsonrpc":"2.0","id":3,"result":3},{"jsonrpc":"2.0","id":4,"result":4},{"jsonrpc":"2.0","id":5,"result":5},{"jsonrpc":"2.0","id":6,"result":6},{"jsonrpc":"2.0","id":7,"result":7},{"jsonrpc":"2.0","id":8,"result":8},{"jsonrpc":"2.0","id":9,"result":9}]

// calls past the size of a batch's answer get an error in place of their result
>> [{"jsonrpc":"2.0","id":1,"method":"test_echo","params":[1]},{"jsonrpc":"2.0","id":2,"method":"test_fill","params":[5000]},{"jsonrpc":"2.0","id":3,"method":"test_echo","params":[3]}]
<< [{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"error":{"code":-32003,"message":"response too large: at most 4000 bytes (batch-response-max-size)"}},{"jsonrpc":"2.0","id":3,"error":{"code":-32003,"message":"response too large: at most 4000 bytes (batch-response-max-size)"}}]

// a call past its time is answered
>> {"jsonrpc":"2.0","id":1,"method":"test_sleep","params":[5000]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"request timed out"}}

// the time is the whole batch's
>> [{"jsonrpc":"2.0","id":1,"method":"test_sleep","params":[5000]},{"jsonrpc":"2.0","id":2,"method":"test_echo","params":[2]}]
<< [{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"request timed out"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"request timed out"}}]
