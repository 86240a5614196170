/// What a request needs beside what it asks.
public struct RequestOptions: Hashable, Sendable {
    /// How long it may take, repetitions and all.
    public var timeout: Duration
    /// In bytes, unpacked.
    public var sizeLimit: Int
    /// A server that knows keys carries out requests of one key once, however often they come. Sent as
    /// `Idempotency-Key`; the tunnel does not pass it on.
    public var idempotencyKey: String?

    public init(
        timeout: Duration = HTTPRequest.defaultTimeout, sizeLimit: Int = HTTPRequest.defaultSizeLimit,
        idempotencyKey: String? = nil
    ) {
        (self.timeout, self.sizeLimit, self.idempotencyKey) = (timeout, sizeLimit, idempotencyKey)
    }

    func httpRequest(
        _ method: HTTPMethod, _ address: WebAddress, body: [UInt8]? = nil, contentType: String? = nil
    ) -> HTTPRequest {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        if let contentType, body != nil { headers.add("Content-Type", contentType) }
        if let idempotencyKey { headers.add("Idempotency-Key", idempotencyKey) }
        return HTTPRequest(
            method: method, address: address, headers: headers, body: body, timeout: timeout, sizeLimit: sizeLimit,
            isRepeatable: method == .get || idempotencyKey != nil)
    }
}
