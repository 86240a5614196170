import CCurl

/// One request with the part of its response received so far. Used only on the loop's thread.
final class CurlTransfer {
    let handle: CurlHandle
    private let request: HTTPRequest
    private var headers = HTTPHeaders()
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLarge = false

    /// The maximum size of all response headers, in bytes.
    private static let headerLimit = 1 << 18

    init(request: HTTPRequest, handle: CurlHandle) {
        (self.request, self.handle) = (request, handle)
        handle.setAddress(request.address)
        handle.set(CURLOPT_TIMEOUT_MS, request.timeout.transferMilliseconds)
        // Wait for a pending connection that can be shared instead of opening another one.
        handle.set(CURLOPT_PIPEWAIT, request.address.origin.scheme == .https ? 1 : 0)
        // If a reused connection turns out to be dead, libcurl sends the request again on a new one. The server may
        // have read it before it closed, so requests that must not be repeated start on a new connection.
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

    /// Whether any part of the request was sent.
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
        // After the body, which turns every request into a POST.
        if request.method != .get, request.method != .post {
            handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
    }

    private func setHeaders() {
        var fields = request.headers.fields.map { (name: $0.name, value: $0.value) }
        if let authorization = request.authorization { fields.append(("Authorization", authorization.revealed())) }
        if let cookie = request.cookie { fields.append(("Cookie", cookie.revealed())) }
        // Without this, libcurl waits a second for "100 Continue" before it sends a large body.
        if !isPlain { fields.append(("Expect", "")) }
        handle.setHeaders(
            fields.map { field in
                let value = Self.withoutControls(field.value)
                return value.isEmpty ? "\(field.name):" : "\(field.name): \(value)"
            })
    }

    /// Removes control characters: a line end in a value would allow header injection.
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
            // The headers so far belong to an interim response.
            headers = HTTPHeaders()
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            headers.add(String(decoding: bytes[..<colon], as: UTF8.self), Self.value(bytes[(colon + 1)...]))
        }
        return true
    }

    /// Returns a header value without surrounding blanks and the line end.
    private static func value(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
        let start = bytes.drop(while: isBlank)
        guard let end = start.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(decoding: start[...end], as: UTF8.self)
    }
}

// libcurl calls these functions on the loop's thread while the transfer is in `CurlTransfers.running`.

private func receiveBody(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ transfer: UnsafeMutableRawPointer?
) -> Int {
    receive(data, size * count, transfer) { $0.receive(body: $1) }
}

private func receiveHeader(
    _ data: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ transfer: UnsafeMutableRawPointer?
) -> Int {
    receive(data, size * count, transfer) { $0.receive(header: $1) }
}

/// Passes received bytes to a transfer.
///
/// - Returns: The number of accepted bytes. Fewer than `count` make libcurl abort the transfer.
private func receive(
    _ data: UnsafeMutablePointer<CChar>?, _ count: Int, _ transfer: UnsafeMutableRawPointer?,
    _ accept: (CurlTransfer, UnsafeRawBufferPointer) -> Bool
) -> Int {
    guard let data, let transfer else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data, count: count)
    return accept(Unmanaged<CurlTransfer>.fromOpaque(transfer).takeUnretainedValue(), bytes) ? count : 0
}

extension NetworkError {
    /// `code`: libcurl's result (libcurl-errors(3)).
    /// `verification`: OpenSSL's result of verifying the certificate (X509_STORE_CTX_get_error(3)).
    init(curl code: CURLcode, host: String, explanation: String, verification: Int, wasSent: Bool) {
        let reason = Printable.text(explanation)
        switch code {
        case CURLE_URL_MALFORMAT: self = .invalidAddress(.badHost(host))
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut(host: host, wasSent: wasSent)
        case CURLE_PEER_FAILED_VERIFICATION:
            self = .untrustedServer(host: host, CertificateProblem(verification: verification, explanation: reason))
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            self = .untrustedServer(host: host, .other(reason))
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN: self = .transportUnavailable(reason)
        default:
            self = wasSent ? .connectionLost(host: host, reason: reason) : .cannotConnect(host: host, reason: reason)
        }
    }
}

extension CertificateProblem {
    init(verification: Int, explanation: String) {
        switch verification {
        // The names of OpenSSL's x509_vfy.h: CERT_NOT_YET_VALID, CERT_HAS_EXPIRED, DEPTH_ZERO_SELF_SIGNED_CERT,
        // SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_GET_ISSUER_CERT(_LOCALLY), UNABLE_TO_VERIFY_LEAF_SIGNATURE,
        // HOSTNAME_MISMATCH, IP_ADDRESS_MISMATCH.
        case 9: self = .notYetValid
        case 10: self = .expired
        case 18: self = .selfSigned
        case 2, 19, 20, 21: self = .unknownIssuer
        case 62, 64: self = .wrongHost
        // libcurl checks the host name itself and reports a mismatch only in its message.
        case _ where explanation.contains("target host name"): self = .wrongHost
        default: self = .other(explanation)
        }
    }
}
