internal import CCurl

/// One request, and what has come of its answer so far. It belongs to the loop's thread.
final class CurlTransfer {
    let handle: CurlHandle
    private let request: HTTPRequest
    private var headers = HTTPHeaders()
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLarge = false

    /// All header lines of an answer together, in bytes.
    private static let headerLimit = 1 << 18

    init(request: HTTPRequest, handle: CurlHandle) {
        (self.request, self.handle) = (request, handle)
        handle.setAddress(request.address)
        handle.set(CURLOPT_TIMEOUT_MS, request.timeout.transferMilliseconds)
        // Wait for a connection that is coming about and can be shared, rather than open another one.
        handle.set(CURLOPT_PIPEWAIT, request.address.origin.scheme == .https ? 1 : 0)
        // When a kept connection turns out to be dead, libcurl sends the request once more on a fresh one. The server may
        // have read it before it closed, so what must not be repeated begins with a fresh one.
        handle.set(CURLOPT_FRESH_CONNECT, request.isRepeatable ? 0 : 1)
        setMethod()
        setHeaders()
        let this = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        handle.set(CURLOPT_WRITEFUNCTION, receiveBody)
        handle.set(CURLOPT_WRITEDATA, this)
        handle.set(CURLOPT_HEADERFUNCTION, receiveHeader)
        handle.set(CURLOPT_HEADERDATA, this)
    }

    /// Whether it is a GET without a body.
    var isPlain: Bool { request.method == .get && request.body == nil }

    /// Whether any of the request has left.
    var wasSent: Bool { handle.number(CURLINFO_REQUEST_SIZE) > 0 }

    func result(_ code: CURLcode) -> Result<HTTPResponse, NetworkError> {
        guard code != CURLE_OK else {
            let status = handle.number(CURLINFO_RESPONSE_CODE)
            return .success(HTTPResponse(status: status, headers: headers, body: body))
        }
        if isTooLarge { return .failure(.responseTooLarge(limit: request.sizeLimit)) }
        return .failure(
            NetworkError(
                curl: code, host: request.address.origin.host, explanation: handle.explanation(of: code),
                verification: handle.number(CURLINFO_SSL_VERIFYRESULT), wasSent: wasSent))
    }

    private func setMethod() {
        switch request.method {
        case .get: handle.set(CURLOPT_HTTPGET, 1)
        case .post: handle.set(CURLOPT_POST, 1)
        case .put, .delete: break
        }
        if let body = request.body ?? (request.method == .post ? [] : nil) { handle.setBody(body) }
        // After the body, which makes a POST of everything.
        if request.method != .get, request.method != .post {
            handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
    }

    private func setHeaders() {
        var fields = request.headers.fields.map { (name: $0.name, value: $0.value) }
        if let authorization = request.authorization { fields.append(("Authorization", authorization.revealed())) }
        if let cookie = request.cookie { fields.append(("Cookie", cookie.revealed())) }
        // Without this libcurl waits a second for leave to send a long body.
        if !isPlain { fields.append(("Expect", "")) }
        handle.setHeaders(
            fields.map { field in
                let value = Self.withoutControls(field.value)
                return value.isEmpty ? "\(field.name):" : "\(field.name): \(value)"
            })
    }

    /// A line end in a value would begin a header of somebody else's making.
    private static func withoutControls(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return value }
        return String(String.UnicodeScalarView(value.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }

    fileprivate func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= request.sizeLimit - body.count else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    fileprivate func receive(header bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.headerLimit else {
            isTooLarge = true
            return false
        }
        if bytes.starts(with: "HTTP/".utf8) {
            // What came before belongs to an interim answer.
            headers = HTTPHeaders()
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            headers.add(String(decoding: bytes[..<colon], as: UTF8.self), Self.value(bytes[(colon + 1)...]))
        }
        return true
    }

    /// Without the blanks around it and the line's end.
    private static func value(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        let start = bytes.drop(while: isBlank)
        guard let end = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: start[...end], as: UTF8.self)
    }
}

// libcurl calls them on the loop's thread while the transfer is in `CurlTransfers.running`.

private func receiveBody(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ transfer: UnsafeMutableRawPointer?
) -> Int {
    guard let data, let transfer else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
    let isTaken = Unmanaged<CurlTransfer>.fromOpaque(transfer).takeUnretainedValue().receive(body: bytes)
    return isTaken ? bytes.count : 0
}

private func receiveHeader(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ transfer: UnsafeMutableRawPointer?
) -> Int {
    guard let data, let transfer else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
    let isTaken = Unmanaged<CurlTransfer>.fromOpaque(transfer).takeUnretainedValue().receive(header: bytes)
    return isTaken ? bytes.count : 0
}
