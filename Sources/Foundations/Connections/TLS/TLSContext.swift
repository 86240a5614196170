import COpenSSL
import CardSecrets
public import Files

/// A certificate with its chain, and its private key, as PEM files.
public struct TLSIdentityFiles: Hashable, Sendable {
    /// The certificate, then those of the authorities between it and the root.
    public var certificate: String
    /// The private key without a password, readable by its owner alone.
    public var key: String

    /// Takes the paths of the two files, which are read when a context is created.
    public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
}

/// A version of TLS. Older ones are never used.
public enum TLSVersion: String, Hashable, Sendable, CaseIterable {
    case v1_2 = "1.2"
    case v1_3 = "1.3"

    var number: Int { Int(self == .v1_2 ? TLS1_2_VERSION : TLS1_3_VERSION) }
}

/// Why TLS cannot be set up with the given files.
public enum TLSSetupError: Error, Hashable, Sendable {
    /// There is no such file.
    case missing(path: String)
    /// The file cannot be read, or others may read a key.
    case unreadable(FileStorageError)
    /// The file does not have what it should; the text says what.
    case malformed(path: String, reason: String)
    /// The key does not belong to the certificate.
    case keyMismatch(certificate: String, key: String)
    /// libssl failed, almost always for lack of memory.
    case library(reason: String)
}

extension TLSSetupError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path): "there is no file '\(path)'"
        case .unreadable(let error): error.description
        case .malformed(let path, let reason): "'\(path)' cannot be used: \(reason)"
        case .keyMismatch(let certificate, let key): "the key in '\(key)' does not belong to '\(certificate)'"
        case .library(let reason): "libssl failed: \(reason)"
        }
    }
}

/// The settings of one side as libssl keeps them. Connections share it.
final class TLSContext: Sendable {
    enum Side: Sendable { case client, server }

    let side: Side
    // A context is complete before it is shared. After that libssl only reads it, and counts references atomically.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// - Throws: ``TLSSetupError``
    init(
        _ side: Side, minimumVersion: TLSVersion, identity: TLSIdentityFiles?, authorities: TLSAuthorities?
    ) throws(TLSSetupError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(side == .client ? TLS_client_method() : TLS_server_method()) else {
            throw .library(reason: OpenSSLErrors.take().text)
        }
        (self.side, self.pointer) = (side, pointer)
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, minimumVersion.number, nil)
        // Neither tickets nor renegotiation: every connection has one handshake, and sends nothing between messages.
        SSL_CTX_set_options(pointer, COPENSSL_OP_NO_RENEGOTIATION | COPENSSL_OP_NO_TICKET)
        SSL_CTX_set_num_tickets(pointer, 0)
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        // An idle connection keeps no buffers.
        SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
        var mode = SSL_VERIFY_NONE
        if let authorities {
            mode = side == .client ? SSL_VERIFY_PEER : SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
            try trust(authorities)
        }
        SSL_CTX_set_verify(pointer, mode, nil)
        if let identity { try use(identity) }
    }

    deinit { SSL_CTX_free(pointer) }

    private func trust(_ authorities: TLSAuthorities) throws(TLSSetupError) {
        switch authorities {
        case .system:
            guard SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                throw .library(reason: OpenSSLErrors.take().text)
            }
        case .pinned(let path):
            let certificates = try PEMFile.certificates(in: path)
            defer { for certificate in certificates { X509_free(certificate) } }
            guard let store = SSL_CTX_get_cert_store(pointer) else { throw .library(reason: "no store") }
            for certificate in certificates where X509_STORE_add_cert(store, certificate) != 1 {
                throw .library(reason: OpenSSLErrors.take().text)
            }
            // A pinned certificate is trusted although its own issuer is not in the file.
            X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
            guard side == .server else { return }
            for certificate in certificates { SSL_CTX_add_client_CA(pointer, certificate) }
        }
    }

    private func use(_ identity: TLSIdentityFiles) throws(TLSSetupError) {
        let chain = try PEMFile.certificates(in: identity.certificate)
        defer { for certificate in chain { X509_free(certificate) } }
        let key = try PEMFile.privateKey(in: identity.key)
        defer { EVP_PKEY_free(key) }
        guard let first = chain.first, SSL_CTX_use_certificate(pointer, first) == 1 else {
            throw .malformed(path: identity.certificate, reason: OpenSSLErrors.take().text)
        }
        guard X509_check_private_key(first, key) == 1 else {
            ERR_clear_error()
            throw .keyMismatch(certificate: identity.certificate, key: identity.key)
        }
        guard SSL_CTX_use_PrivateKey(pointer, key) == 1 else {
            throw .malformed(path: identity.key, reason: OpenSSLErrors.take().text)
        }
        for certificate in chain.dropFirst() {
            // SSL_CTX_add1_chain_cert
            guard SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate)) == 1 else {
                throw .malformed(path: identity.certificate, reason: OpenSSLErrors.take().text)
            }
        }
    }
}

/// Whom to trust.
public enum TLSAuthorities: Hashable, Sendable {
    /// The authorities of the system (`/etc/ssl/certs`, or `SSL_CERT_FILE`).
    case system
    /// Only the certificates in this PEM file, which may also be those of single peers.
    case pinned(file: String)
}

/// Reads PEM files (RFC 7468).
enum PEMFile {
    private static let limit = 1 << 20

    /// Returns the certificates, at least one. The caller frees them.
    static func certificates(in path: String) throws(TLSSetupError) -> [OpaquePointer] {
        try with(path, FileStorage(limit: limit)) { bio throws(TLSSetupError) in
            var found: [OpaquePointer] = []
            while let certificate = PEM_read_bio_X509(bio, nil, noPassword, nil) { found.append(certificate) }
            let errors = OpenSSLErrors.take()
            // After the last one, the library finds no further beginning.
            let isEnd = errors.codes.last.map { ERR_GET_REASON($0) == PEM_R_NO_START_LINE } ?? true
            guard isEnd, !found.isEmpty else {
                for certificate in found { X509_free(certificate) }
                throw .malformed(path: path, reason: isEnd ? "it has no certificate in PEM" : errors.text)
            }
            return found
        }
    }

    /// Returns the private key. The caller frees it.
    static func privateKey(in path: String) throws(TLSSetupError) -> OpaquePointer {
        try with(path, FileStorage(trust: .ownerAlone, limit: limit)) { bio throws(TLSSetupError) in
            guard let key = PEM_read_bio_PrivateKey(bio, nil, noPassword, nil) else {
                let errors = OpenSSLErrors.take()
                let needsPassword = errors.codes.contains { ERR_GET_REASON($0) == PEM_R_BAD_PASSWORD_READ }
                let isMissing = errors.codes.last.map { ERR_GET_REASON($0) == PEM_R_NO_START_LINE } ?? true
                throw .malformed(
                    path: path,
                    reason: needsPassword
                        ? "the key has a password: remove it ('openssl pkey')"
                        : isMissing ? "it has no private key in PEM" : errors.text)
            }
            return key
        }
    }

    private static func with<Value>(
        _ path: String, _ storage: FileStorage, _ body: (OpaquePointer) throws(TLSSetupError) -> Value
    ) throws(TLSSetupError) -> Value {
        var content: [UInt8]?
        do throws(FileStorageError) { content = try storage.contents(of: path) } catch { throw .unreadable(error) }
        guard var bytes = content else { throw .missing(path: path) }
        content = nil
        defer { bytes.wipe() }
        ERR_clear_error()
        return try bytes.withUnsafeBufferPointer { (buffer) throws(TLSSetupError) in
            guard !buffer.isEmpty, let bio = BIO_new_mem_buf(buffer.baseAddress, Int32(clamping: buffer.count)) else {
                throw .malformed(path: path, reason: "it is empty")
            }
            defer { BIO_free(bio) }
            return try body(bio)
        }
    }
}

/// Gives no password, so that the library does not ask for one at the terminal.
private func noPassword(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ purpose: Int32, _ data: UnsafeMutableRawPointer?
) -> Int32 { -1 }
