import COpenSSL
import Determinism

/// One side of a TLS connection without I/O: it turns bytes of the peer into bytes for the caller, and the other way.
///
/// One thread at a time uses it.
package final class TLSEngine {
    package enum Step {
        case done
        /// Bytes of the peer are missing.
        case needsInput
        case failed(TLSFailure)
    }

    package enum Incoming {
        case bytes([UInt8])
        case needsInput
        /// The peer said that its stream is complete.
        case end
        case failed(TLSFailure)
    }

    private let session: OpaquePointer
    /// From the peer and to it. The session owns both.
    private let (input, output): (OpaquePointer, OpaquePointer)
    private let verification: CertificateVerification

    /// - Parameters:
    ///   - context: the settings, which are kept.
    ///   - expectedName: the name or IP address that the peer's certificate must have; nil for every one.
    ///   - moment: the time for which certificates must be valid.
    /// - Throws: ``TLSFailure/failed(reason:)`` for lack of memory.
    init(_ context: TLSContext, expectedName: String?, at moment: Timestamp) throws(TLSFailure) {
        ERR_clear_error()
        guard let session = SSL_new(context.pointer) else { throw .failed(reason: OpenSSLErrors.take().text) }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(session)
            throw .failed(reason: OpenSSLErrors.take().text)
        }
        (self.session, self.input, self.output) = (session, input, output)
        verification = CertificateVerification(expectedName: expectedName)
        SSL_set_bio(session, input, output)
        // The session keeps no reference: the engine outlives it.
        SSL_set_ex_data(session, 0, Unmanaged.passUnretained(verification).toOpaque())
        SSL_set_verify(session, SSL_get_verify_mode(session), checkCertificate)
        if let parameters = SSL_get0_param(session) {
            X509_VERIFY_PARAM_set_time(parameters, time_t(moment.milliseconds / 1000))
        }
        if context.side == .client { SSL_set_connect_state(session) } else { SSL_set_accept_state(session) }
        if let expectedName { try expect(expectedName) }
    }

    deinit { SSL_free(session) }

    private func expect(_ name: String) throws(TLSFailure) {
        guard let parameters = SSL_get0_param(session) else { throw .failed(reason: "no parameters") }
        // A host name that looks like an address is an address.
        guard X509_VERIFY_PARAM_set1_ip_asc(parameters, name) != 1 else { return }
        ERR_clear_error()
        X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        let host = name.hasSuffix(".") ? String(name.dropLast()) : name
        guard X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1 else { throw .failed(reason: "an unusable name") }
        host.withCString { text in
            _ = SSL_ctrl(
                session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                UnsafeMutableRawPointer(mutating: text))
        }
    }

    // MARK: Steps

    /// Goes on with the handshake. There may be output, also when it failed.
    package func handshake() -> Step {
        ERR_clear_error()
        let result = SSL_do_handshake(session)
        if result == 1 { return .done }
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
        default: return .failed(failure())
        }
    }

    /// Takes bytes of the peer.
    package func feed(_ bytes: [UInt8]) { BIO_write(input, bytes, Int32(clamping: bytes.count)) }

    /// Returns at most `limit` bytes of what the peer sent. The answers that the protocol demands become output.
    package func read(upTo limit: Int) -> Incoming {
        ERR_clear_error()
        var result: Int32 = 0
        // The longest record (RFC 8446 §5.1).
        let room = min(max(1, limit), 16_384)
        let bytes = withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
            result = SSL_read(session, buffer.baseAddress, Int32(room))
            return result > 0 ? Array(buffer[..<Int(result)]) : []
        }
        guard bytes.isEmpty else { return .bytes(bytes) }
        switch SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
        case SSL_ERROR_ZERO_RETURN: return .end
        default: return .failed(failure())
        }
    }

    /// Enciphers bytes, which become output.
    package func write(_ bytes: ArraySlice<UInt8>) -> Step {
        guard !bytes.isEmpty else { return .done }
        ERR_clear_error()
        let result = bytes.withUnsafeBytes { SSL_write(session, $0.baseAddress, Int32(clamping: $0.count)) }
        // The output has room for everything, so the library never takes a part.
        guard result <= 0 else { return .done }
        _ = SSL_get_error(session, result)
        return .failed(failure())
    }

    /// Makes the mark of the end of this side's stream, which becomes output.
    package func finish() {
        ERR_clear_error()
        SSL_shutdown(session)
        ERR_clear_error()
    }

    /// Takes the bytes for the peer.
    package func takeOutput() -> [UInt8] {
        let count = pendingOutput
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = max(0, Int(BIO_read(output, buffer.baseAddress, Int32(clamping: count))))
        }
    }

    /// The number of bytes for the peer.
    var pendingOutput: Int { BIO_ctrl_pending(output) }

    // MARK: What the handshake found

    /// What is known about the peer after the handshake.
    var peer: TLSPeer {
        let cipher = SSL_get_current_cipher(session).flatMap { SSL_CIPHER_get_name($0) }.map { String(cString: $0) }
        let certificate = SSL_get1_peer_certificate(session)
        defer { X509_free(certificate) }
        return TLSPeer(
            version: SSL_get_version(session).map { String(cString: $0) } ?? "TLS", cipher: cipher ?? "",
            certificate: certificate.map { CertificateSummary($0) })
    }

    private func failure() -> TLSFailure {
        let errors = OpenSSLErrors.take()
        if let failure = verification.failure { return failure }
        for reason in errors.sslReasons {
            switch reason {
            // Alerts of the peer have their number above this offset.
            case SSL_AD_REASON_OFFSET...SSL_AD_REASON_OFFSET + 255:
                return .alert(TLSAlert(code: Int(reason - SSL_AD_REASON_OFFSET)))
            case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return .noCertificate
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_WRONG_SSL_VERSION: return .versionTooLow
            default: continue
            }
        }
        return .failed(reason: errors.text)
    }
}

/// The first fault that the check of the peer's certificates finds.
final class CertificateVerification {
    private let expectedName: String?
    fileprivate(set) var failure: TLSFailure?

    init(expectedName: String?) { self.expectedName = expectedName }

    fileprivate func note(_ code: Int32, _ certificate: OpaquePointer?) {
        guard failure == nil else { return }
        let text = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
        guard let certificate else { return failure = .refusedCertificate(reason: text, nil) }
        let summary = CertificateSummary(certificate)
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED: failure = .expired(summary)
        case X509_V_ERR_CERT_NOT_YET_VALID: failure = .notYetValid(summary)
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            failure = .wrongName(expected: expectedName ?? "", summary)
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED:
            failure = .unknownAuthority(summary)
        case X509_V_ERR_INVALID_PURPOSE: failure = .wrongUse(summary)
        default: failure = .refusedCertificate(reason: text, summary)
        }
    }
}

// A function, not a closure: a closure inherits the isolation of its context, and the runtime traps when it runs on
// another thread.
private func checkCertificate(_ isGood: Int32, _ store: OpaquePointer?) -> Int32 {
    guard isGood != 1, let store else { return isGood }
    guard let session = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let verification = SSL_get_ex_data(OpaquePointer(session), 0)
    else { return isGood }
    Unmanaged<CertificateVerification>.fromOpaque(verification).takeUnretainedValue()
        .note(X509_STORE_CTX_get_error(store), X509_STORE_CTX_get_current_cert(store))
    return isGood
}
