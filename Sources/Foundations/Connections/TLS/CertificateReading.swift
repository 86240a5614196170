import COpenSSL
import Determinism
import Glibc

extension CertificateSummary {
    /// Reads a certificate of libcrypto, which the caller keeps.
    init(_ certificate: OpaquePointer) {
        let (subject, issuer) = (X509_get_subject_name(certificate), X509_get_issuer_name(certificate))
        self.init(
            subject: Self.commonName(subject), issuer: Self.commonName(issuer), names: Self.names(certificate),
            notBefore: Self.moment(X509_get0_notBefore(certificate)),
            notAfter: Self.moment(X509_get0_notAfter(certificate)),
            isSelfSigned: X509_NAME_cmp(subject, issuer) == 0)
    }

    private static let mostNames = 20
    private static let longestText = 200

    private static func commonName(_ name: OpaquePointer?) -> String {
        guard let name else { return "" }
        let index = X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        if index >= 0, let entry = X509_NAME_get_entry(name, index), let value = X509_NAME_ENTRY_get_data(entry) {
            var text: UnsafeMutablePointer<UInt8>?
            let count = ASN1_STRING_to_UTF8(&text, value)
            defer { CRYPTO_free(text, nil, 0) }
            if let text, count > 0 { return printable(UnsafeRawBufferPointer(start: text, count: Int(count))) }
        }
        var line = [CChar](repeating: 0, count: longestText)
        X509_NAME_oneline(name, &line, Int32(line.count))
        return line.withUnsafeBytes { bytes in printable(UnsafeRawBufferPointer(rebasing: bytes.prefix { $0 != 0 })) }
    }

    private static func names(_ certificate: OpaquePointer) -> [String] {
        guard let raw = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return [] }
        let list = OpaquePointer(raw)
        defer { GENERAL_NAMES_free(list) }
        var names: [String] = []
        for index in 0..<max(0, OPENSSL_sk_num(list)) where names.count < mostNames {
            guard let raw = OPENSSL_sk_value(list, index) else { continue }
            var kind: Int32 = -1
            let name = raw.assumingMemoryBound(to: GENERAL_NAME.self)
            guard let value = GENERAL_NAME_get0_value(name, &kind), kind == GEN_DNS || kind == GEN_IPADD else {
                continue
            }
            // Both kinds are ASN1_STRING.
            let text = value.assumingMemoryBound(to: ASN1_STRING.self)
            let bytes = UnsafeRawBufferPointer(
                start: ASN1_STRING_get0_data(text), count: max(0, Int(ASN1_STRING_length(text))))
            names.append(kind == GEN_DNS ? printable(bytes) : address(bytes))
        }
        return names
    }

    private static func address(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count == 4 || bytes.count == 16 else { return "an address of \(bytes.count) bytes" }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes.baseAddress, &text, socklen_t(text.count)) != nil
        else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func printable(_ bytes: UnsafeRawBufferPointer) -> String {
        let text = String(decoding: bytes.prefix(longestText), as: UTF8.self)
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isShown ? $0 : "\u{FFFD}" }))
    }

    private static func moment(_ time: UnsafePointer<ASN1_TIME>?) -> Timestamp {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return Timestamp(milliseconds: 0) }
        return Timestamp(milliseconds: Int64(timegm(&parts)) * 1000)
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isShown: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}

/// The errors that a call of libssl or libcrypto left for its thread.
struct OpenSSLErrors {
    /// The reasons of libssl and libcrypto, oldest first.
    let codes: [UInt]

    /// Takes the errors of this thread.
    static func take() -> OpenSSLErrors {
        var codes: [UInt] = []
        while codes.count < 16 {
            let code = ERR_get_error()
            guard code != 0 else { break }
            codes.append(code)
        }
        ERR_clear_error()
        return OpenSSLErrors(codes: codes)
    }

    /// The reasons of libssl alone.
    var sslReasons: [Int32] { codes.filter { ERR_GET_LIB($0) == ERR_LIB_SSL }.map { ERR_GET_REASON($0) } }

    /// The first error in the library's words.
    var text: String {
        guard let code = codes.first else { return "no reason is known" }
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
