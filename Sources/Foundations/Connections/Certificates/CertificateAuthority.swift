import COpenSSL
import CardSecrets
public import Determinism
import Files
import Glibc

/// An authority that makes certificates for servers and clients: for a simulated acquirer, a terminal on a private
/// network, and tests.
///
/// Keys come from libcrypto's secure random numbers, and serial numbers from a `RandomSource`.
public final class CertificateAuthority: Sendable {
    // Complete before it is shared; libcrypto only reads both afterwards.
    private nonisolated(unsafe) let certificate: OpaquePointer
    private nonisolated(unsafe) let key: OpaquePointer
    private let random: any RandomSource

    /// Makes an authority with a new key and a certificate that it signs itself. `names` and `uses` of the request are
    /// for other certificates, and are ignored.
    ///
    /// - Throws: ``CertificateError``
    public init(_ request: CertificateRequest, random: any RandomSource) throws(CertificateError) {
        try request.check()
        let key = try CertificateMaker.newKey(request.key)
        do throws(CertificateError) {
            certificate = try CertificateMaker.certificate(request, for: key, issuer: nil, random)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
        (self.key, self.random) = (key, random)
    }

    /// Reads an authority from its files.
    ///
    /// - Throws: ``CertificateError/unusableFile(_:)``, ``CertificateError/notAnAuthority(path:)``
    public init(files: TLSIdentityFiles, random: any RandomSource) throws(CertificateError) {
        do throws(TLSSetupError) {
            let chain = try PEMFile.certificates(in: files.certificate)
            // Its caller asked for at least one.
            certificate = chain[0]
            for other in chain.dropFirst() { X509_free(other) }
            do throws(TLSSetupError) {
                key = try PEMFile.privateKey(in: files.key)
            } catch {
                X509_free(certificate)
                throw error
            }
        } catch {
            throw .unusableFile(error)
        }
        self.random = random
        guard X509_check_ca(certificate) == 1, X509_check_private_key(certificate, key) == 1 else {
            ERR_clear_error()
            throw .notAnAuthority(path: files.certificate)
        }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// The authority's certificate in PEM, which peers pin.
    ///
    /// - Throws: ``CertificateError/library(_:)``
    public func pem() throws(CertificateError) -> [UInt8] {
        try PEMText.bytes { PEM_write_bio_X509($0, certificate) == 1 }
    }

    /// Makes a certificate with a new key.
    ///
    /// - Throws: ``CertificateError``
    public func issue(_ request: CertificateRequest) throws(CertificateError) -> IssuedCertificate {
        try request.check()
        let key = try CertificateMaker.newKey(request.key)
        do throws(CertificateError) {
            let issuer = (certificate: certificate, key: self.key)
            return IssuedCertificate(
                certificate: try CertificateMaker.certificate(request, for: key, issuer: issuer, random), key: key)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
    }

    /// Writes the authority's certificate, which others may read, and its key, which only its owner may.
    ///
    /// - Throws: ``CertificateError``
    public func write(to files: TLSIdentityFiles) throws(CertificateError) {
        try PEMText.write(certificate, key, to: files)
    }
}

/// A certificate with its private key.
public final class IssuedCertificate: Sendable {
    // Complete before it is shared; libcrypto only reads both afterwards.
    private nonisolated(unsafe) let certificate: OpaquePointer
    private nonisolated(unsafe) let key: OpaquePointer

    /// Takes both over.
    fileprivate init(certificate: OpaquePointer, key: OpaquePointer) {
        (self.certificate, self.key) = (certificate, key)
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// What the certificate says.
    public var summary: CertificateSummary { CertificateSummary(certificate) }

    /// The certificate in PEM.
    ///
    /// - Throws: ``CertificateError/library(_:)``
    public func pem() throws(CertificateError) -> [UInt8] {
        try PEMText.bytes { PEM_write_bio_X509($0, certificate) == 1 }
    }

    /// Writes the certificate, which others may read, and its key, which only its owner may.
    ///
    /// - Throws: ``CertificateError``
    public func write(to files: TLSIdentityFiles) throws(CertificateError) {
        try PEMText.write(certificate, key, to: files)
    }
}

/// Writes PEM texts (RFC 7468).
private enum PEMText {
    static func bytes(_ write: (OpaquePointer) -> Bool) throws(CertificateError) -> [UInt8] {
        // Memory that is overwritten when it is released.
        guard let bio = BIO_new(BIO_s_secmem()) else { throw .library("memory") }
        defer { BIO_free(bio) }
        ERR_clear_error()
        guard write(bio) else { throw .library("PEM (\(OpenSSLErrors.take().text))") }
        let count = BIO_ctrl_pending(bio)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(clamping: count))))
        }
    }

    /// Each file is replaced as a whole. The key comes first: a certificate never stands beside no key.
    static func write(
        _ certificate: OpaquePointer, _ key: OpaquePointer, to files: TLSIdentityFiles
    ) throws(CertificateError) {
        var secret: [UInt8] = []
        defer { secret.wipe() }
        secret = try bytes { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) == 1 }
        let text = try bytes { PEM_write_bio_X509($0, certificate) == 1 }
        do throws(FileStorageError) {
            try FileStorage(trust: .ownerAlone).replace(files.key, with: secret)
            try FileStorage(permissions: 0o644).replace(files.certificate, with: text)
        } catch {
            throw .unwritable(error)
        }
    }
}

/// Makes keys and certificates with libcrypto (RFC 5280).
private enum CertificateMaker {
    static func newKey(_ kind: CertificateRequest.Key) throws(CertificateError) -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_from_name(nil, kind == .p256 ? "EC" : "RSA", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard let context, EVP_PKEY_keygen_init(context) == 1,
            kind == .p256
                ? EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
                : EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .library("a new key (\(OpenSSLErrors.take().text))") }
        return key
    }

    /// - Parameters:
    ///   - request: what the certificate says, which was checked.
    ///   - key: the key of the subject.
    ///   - issuer: who signs; nil for an authority that signs itself.
    ///   - random: the source of the serial number.
    /// - Returns: the certificate, which the caller frees.
    /// - Throws: ``CertificateError/library(_:)``
    static func certificate(
        _ request: CertificateRequest, for key: OpaquePointer,
        issuer: (certificate: OpaquePointer, key: OpaquePointer)?,
        _ random: any RandomSource
    ) throws(CertificateError) -> OpaquePointer {
        ERR_clear_error()
        guard let certificate = X509_new() else { throw .library("memory") }
        do throws(CertificateError) {
            // Version 3.
            try check(X509_set_version(certificate, 2), "the version")
            try setSerial(certificate, random)
            try setSubject(certificate, request)
            try check(
                X509_set_issuer_name(certificate, X509_get_subject_name(issuer?.certificate ?? certificate)),
                "the issuer")
            let times = [
                (X509_getm_notBefore(certificate), request.notBefore),
                (X509_getm_notAfter(certificate), request.notAfter),
            ]
            for (time, moment) in times {
                guard ASN1_TIME_set(time, time_t(moment.milliseconds / 1000)) != nil else { throw .library("a moment") }
            }
            try check(X509_set_pubkey(certificate, key), "the key")
            try addExtensions(certificate, request, issuer?.certificate)
            guard X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0 else {
                throw .library("a signature (\(OpenSSLErrors.take().text))")
            }
            return certificate
        } catch {
            X509_free(certificate)
            throw error
        }
    }

    private static func check(_ result: Int32, _ what: String) throws(CertificateError) {
        guard result == 1 else { throw .library("\(what) (\(OpenSSLErrors.take().text))") }
    }

    private static func setSerial(_ certificate: OpaquePointer, _ random: any RandomSource) throws(CertificateError) {
        // Positive, and at most 20 bytes (RFC 5280 §4.1.2.2).
        var bytes = random.bytes(16)
        bytes[0] = bytes[0] & 0x3F | 0x40
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { throw .library("memory") }
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil else {
            throw .library("the serial number")
        }
    }

    private static func setSubject(
        _ certificate: OpaquePointer, _ request: CertificateRequest
    ) throws(CertificateError) {
        let name = X509_get_subject_name(certificate)
        for (field, text) in [("O", request.organization), ("CN", request.commonName)] {
            guard let bytes = text.map({ Array($0.utf8) }) else { continue }
            try check(
                X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0), "the subject")
        }
    }

    private static func addExtensions(
        _ certificate: OpaquePointer, _ request: CertificateRequest, _ issuer: OpaquePointer?
    ) throws(CertificateError) {
        var values: [(Int32, String)] = [(NID_subject_key_identifier, "hash")]
        if issuer == nil {
            values += [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
            ]
        } else {
            let isRSA = request.key == .rsa2048
            values += [
                (NID_authority_key_identifier, "keyid:always"), (NID_basic_constraints, "critical,CA:FALSE"),
                (NID_key_usage, isRSA ? "critical,digitalSignature,keyEncipherment" : "critical,digitalSignature"),
            ]
            let uses = CertificateRequest.Use.allCases.filter { request.uses.contains($0) }
            if !uses.isEmpty {
                values.append((NID_ext_key_usage, uses.map { "\($0.rawValue)Auth" }.joined(separator: ",")))
            }
        }
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer ?? certificate, certificate, nil, nil, 0)
        for (kind, value) in values {
            guard let field = X509V3_EXT_conf_nid(nil, &context, kind, value) else {
                throw .library("an extension (\(OpenSSLErrors.take().text))")
            }
            defer { X509_EXTENSION_free(field) }
            try check(X509_add_ext(certificate, field, -1), "an extension")
        }
        if issuer != nil { try addNames(certificate, request.names) }
    }

    private static func addNames(_ certificate: OpaquePointer, _ names: [String]) throws(CertificateError) {
        guard !names.isEmpty else { return }
        guard let list = GENERAL_NAMES_new() else { throw .library("memory") }
        defer { GENERAL_NAMES_free(list) }
        for name in names.compactMap(SubjectName.init) {
            guard let value = name.generalName() else { throw .library("memory") }
            guard OPENSSL_sk_push(list, value) > 0 else {
                GENERAL_NAME_free(value)
                throw .library("memory")
            }
        }
        try check(
            X509_add1_ext_i2d(certificate, NID_subject_alt_name, UnsafeMutableRawPointer(list), 0, 0), "the names")
    }
}
