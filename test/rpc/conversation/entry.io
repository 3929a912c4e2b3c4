// the plain case: JSON in, JSON out
>: Content-Type: application/json
>> {{echo}}
<: 200
<: Content-Type: application/json
<: Access-Control-Allow-Origin
<: Vary
<< {{echoed}}

// an error of JSON-RPC is still a 200
>: Content-Type: application/json
>> {"jsonrpc":"2.0","id":1,"method":"test_unknown"}
<: 200
<~ -32601

// what cannot be parsed is a 200 too
>: Content-Type: application/json
>> {
<: 200
<~ -32700

// bytes that are not UTF-8 are not JSON
>: Content-Type: application/json
>> {{bytes 7b22ff227d}}
<: 200
<~ -32700

// a notification has an empty answer
>: Content-Type: application/json
>> {"jsonrpc":"2.0","method":"test_echo"}
<: 200
<: Content-Length: 0
<<

// a charset may be named
>: Content-Type: application/json; charset=utf-8
>> {{echo}}
<: 200

// the content type's case does not matter
>: Content-Type: Application/JSON
>> {{echo}}
<: 200

// white space before the parameters does not matter
>: Content-Type: application/json ; charset=UTF-8
>> {{echo}}
<: 200

// a form is refused, with the remedy
>: Content-Type: application/x-www-form-urlencoded
>> {{echo}}
<: 415
<: Content-Type: text/plain; charset=utf-8
<~ Content-Type: application/json

// text/plain is refused: a page could send it without asking
>: Content-Type: text/plain
>> {{echo}}
<: 415

// no content type is refused
>> {{echo}}
<: 415

// an empty content type is refused
>: Content-Type:
>> {{echo}}
<: 415

// multipart is refused
>: Content-Type: multipart/form-data; boundary=x
>> {{echo}}
<: 415

// two content types are none
>: Content-Type: application/json, text/plain
>> {{echo}}
<: 415

// a content type that only begins like JSON is refused
>: Content-Type: application/jsonx
>> {{echo}}
<: 415

// application/json as a parameter of something else is refused
>: Content-Type: text/plain; application/json
>> {{echo}}
<: 415

// a compressed body is refused, with the remedy
>: Content-Type: application/json
>: Content-Encoding: gzip
>> {{echo}}
<: 415
<~ without Content-Encoding

// identity is not compression
>: Content-Type: application/json
>: Content-Encoding: identity
>> {{echo}}
<: 200

// a body over the limit, announced
>: Content-Type: application/json
>> "{{fill 4001}}"
<: 413
<~ max-body-size

// a body over the limit, in chunks
>: Content-Type: application/json
>: Transfer-Encoding: chunked
>> "{{fill 5000}}"
<: 413

// a body at the limit
>: Content-Type: application/json
>> "{{fill 3998}}"
<: 200
<~ -32600

// GET on / is not served
>: GET /
<: 405
<: Allow: POST, OPTIONS

// GET of a page
>: GET /health
<: 200
<: Content-Type: application/json
<: X-Content-Type-Options: nosniff
<< {"status":"ok"}

// HEAD of a page
>: HEAD /health
<: 200
<<

// a page takes a query string
>: GET /health?verbose=1
<: 200

// GET of something else
>: GET /admin
<: 405

// PUT is not served
>: PUT /
>: Content-Type: application/json
>> {{echo}}
<: 405

// DELETE is not served
>: DELETE /
<: 405

// the host may be an IP address
>: Host: 127.0.0.1:8545
>: Content-Type: application/json
>> {{echo}}
<: 200

// or an IPv6 address
>: Host: [::1]:8545
>: Content-Type: application/json
>> {{echo}}
<: 200

// or localhost
>: Host: localhost:8545
>: Content-Type: application/json
>> {{echo}}
<: 200

// or localhost in capitals
>: Host: LOCALHOST
>: Content-Type: application/json
>> {{echo}}
<: 200

// or a name from the list
>: Host: rpc.example
>: Content-Type: application/json
>> {{echo}}
<: 200

// or that name with a port, and a dot at its end
>: Host: RPC.example.:8545
>: Content-Type: application/json
>> {{echo}}
<: 200

// a name that is not on the list is refused
>: Host: evil.example
>: Content-Type: application/json
>> {{echo}}
<: 403
<~ --json-rpc.vhosts

// a name that contains one from the list is refused
>: Host: rpc.example.evil.example
>: Content-Type: application/json
>> {{echo}}
<: 403

// a name that begins like an address is refused
>: Host: 127.0.0.1.evil.example
>: Content-Type: application/json
>> {{echo}}
<: 403

// a host with a user part is refused
>: Host: localhost@evil.example
>: Content-Type: application/json
>> {{echo}}
<: 403

// the host counts for pages too
>: GET /health
>: Host: evil.example
<: 403

// a page from elsewhere is refused, and told how to be let in
>: Content-Type: application/json
>: Origin: https://evil.example
>> {{echo}}
<: 403
<: Vary: Origin
<: Access-Control-Allow-Origin
<~ --json-rpc.cors

// a page from the list does
>: Content-Type: application/json
>: Origin: https://app.example
>> {{echo}}
<: 200
<: Vary: Origin
<: Access-Control-Allow-Origin: https://app.example
<: Access-Control-Allow-Credentials

// http instead of https is another origin
>: Content-Type: application/json
>: Origin: http://app.example
>> {{echo}}
<: 403
<: Access-Control-Allow-Origin

// another port is another origin
>: Content-Type: application/json
>: Origin: https://app.example:8443
>> {{echo}}
<: 403
<: Access-Control-Allow-Origin

// the opaque origin is nobody's
>: Content-Type: application/json
>: Origin: null
>> {{echo}}
<: 403
<: Access-Control-Allow-Origin

// the server's own origin is let in
>: Host: rpc.example
>: Content-Type: application/json
>: Origin: https://rpc.example
>> {{echo}}
<: 200
<: Access-Control-Allow-Origin: https://rpc.example

// pages on localhost are let in by the dev profile alone
>: Content-Type: application/json
>: Origin: http://localhost:3000
>> {{echo}}
<: 403
<: Access-Control-Allow-Origin

// the origin counts for pages of the server too
>: GET /health
>: Origin: https://evil.example
<: 403

// an extension of the browser is let in; it needs no CORS headers
>: Content-Type: application/json
>: Origin: chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn
>> {{echo}}
<: 200
<: Access-Control-Allow-Origin
<< {{echoed}}

// a preflight from the list
>: OPTIONS /
>: Origin: https://app.example
>: Access-Control-Request-Method: POST
>: Access-Control-Request-Headers: content-type
<: 204
<: Access-Control-Allow-Origin: https://app.example
<: Access-Control-Allow-Methods: POST, GET, OPTIONS
<: Access-Control-Allow-Headers: Content-Type, Authorization
<: Access-Control-Max-Age: 600

// a preflight from elsewhere
>: OPTIONS /
>: Origin: https://evil.example
>: Access-Control-Request-Method: POST
<: 204
<: Access-Control-Allow-Origin
<: Access-Control-Allow-Methods

// a fresh token opens private methods
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0}}}
>> {{private}}
<: 200
<< {{granted}}

// one that is 30 seconds old does too
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":-30}}}
>> {{private}}
<< {{granted}}

// one from a clock that is 30 seconds ahead does too
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":30}}}
>> {{private}}
<< {{granted}}

// one with an expiry ahead does too
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0,"exp":3600}}}
>> {{private}}
<< {{granted}}

// further claims do not matter
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0,"clv":"cl/1.0","id":"node"}}}
>> {{private}}
<< {{granted}}

// a header without typ is fine
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"HS256"}}}
>> {{private}}
<< {{granted}}

// a good token does public methods no harm
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0}}}
>> {{echo}}
<< {{echoed}}

// a bad token is refused even for public methods
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":-61}}}
>> {{echo}}
<: 401
<: WWW-Authenticate: Bearer
<~ iat is more than 60 s from now

// a token from the future
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":180}}}
>> {{private}}
<: 401

// a token without iat
>: Content-Type: application/json
>: Authorization: Bearer {{token {"exp":3600}}}
>> {{private}}
<: 401
<~ iat must be an integer

// iat as a text
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":"0"}}}
>> {{private}}
<: 401

// iat with a fraction
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0.5}}}
>> {{private}}
<: 401

// iat as null
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":null}}}
>> {{private}}
<: 401

// an expired token
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":-10,"exp":-1}}}
>> {{private}}
<: 401
<~ expired

// exp as a text
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0,"exp":"3600"}}}
>> {{private}}
<: 401

// a token that is not valid yet
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0,"nbf":30}}}
>> {{private}}
<: 401

// signed with another secret
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"HS256"} other}}
>> {{private}}
<: 401
<~ wrong signature

// no signature, and the header says so
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"none"} none}}
>> {{private}}
<: 401

// "none" with a right signature
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"none"}}}
>> {{private}}
<: 401
<~ only HS256

// HS384
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"HS384"}}}
>> {{private}}
<: 401

// HS512, really signed so
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"HS512"} sha512}}
>> {{private}}
<: 401

// RS256
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"RS256"}}}
>> {{private}}
<: 401

// hs256 in small letters
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"hs256"}}}
>> {{private}}
<: 401

// another type of token
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"HS256","typ":"JWE"}}}
>> {{private}}
<: 401

// extensions that must be understood are not
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0} {"alg":"HS256","crit":["exp"]}}}
>> {{private}}
<: 401

// a fourth part
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0}}}.e30
>> {{private}}
<: 401
<~ three parts

// two parts
>: Content-Type: application/json
>: Authorization: Bearer e30.e30
>> {{private}}
<: 401

// padding in the signature
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0}}}=
>> {{private}}
<: 401
<~ base64url

// a payload that is not an object
>: Content-Type: application/json
>: Authorization: Bearer {{token [0]}}
>> {{private}}
<: 401

// the scheme in small letters
>: Content-Type: application/json
>: Authorization: bearer {{token {"iat":0}}}
>> {{private}}
<: 401
<~ Bearer <token>

// another scheme is nobody's token: it opens nothing, and closes nothing
>: Content-Type: application/json
>: Authorization: Basic dXNlcjpwYXNz
>> {{private}}
<: 200
<~ 4100

// two spaces after the scheme
>: Content-Type: application/json
>: Authorization: Bearer  {{token {"iat":0}}}
>> {{private}}
<: 401

// no token after the scheme
>: Content-Type: application/json
>: Authorization: Bearer
>> {{private}}
<: 401

// a token of 5,000 characters
>: Content-Type: application/json
>: Authorization: Bearer {{fill 5000}}
>> {{private}}
<: 401
<~ token too long

// a private method without a token
>: Content-Type: application/json
>> {{private}}
<: 200
<~ 4100

// a batch with a token
>: Content-Type: application/json
>: Authorization: Bearer {{token {"iat":0}}}
>> [{{private}},{{echo}}]
<< [{{granted}},{{echoed}}]

// a local caller may sign
>: Content-Type: application/json
>> {"jsonrpc":"2.0","id":1,"method":"test_sign"}
<< {"jsonrpc":"2.0","id":1,"result":true}

// one who comes by way of a proxy is not local
>: Content-Type: application/json
>: X-Forwarded-For: 203.0.113.7
>> {"jsonrpc":"2.0","id":1,"method":"test_sign"}
<: 200
<~ 4100

// nor is one who says that it is
>: Content-Type: application/json
>: X-Forwarded-For: 127.0.0.1
>> {"jsonrpc":"2.0","id":1,"method":"test_sign"}
<~ 4100

// with a token one may sign from anywhere
>: Content-Type: application/json
>: X-Forwarded-For: 203.0.113.7
>: Authorization: Bearer {{token {"iat":0}}}
>> {"jsonrpc":"2.0","id":1,"method":"test_sign"}
<< {"jsonrpc":"2.0","id":1,"result":true}
