import COpenSSL
public import Determinism
public import Files
import Glibc

/// The content of a new certificate.
public struct CertificateRequest: Hashable, Sendable {
    /// What the certificate is for.
    public enum Use: String, Hashable, Sendable, CaseIterable {
        case server, client
    }

    /// The kind of the new key.
    public enum Key: String, Hashable, Sendable, CaseIterable {
        /// An elliptic curve, NIST P-256.
        case p256
        /// RSA with 2048 bits, for peers without elliptic curves.
        case rsa2048
    }

    /// The common name of the subject, 1 to 64 characters without control characters. Clients that check names look at
    /// ``names`` instead; a few libraries of terminal vendors ask for a certain common name.
    public var commonName: String
    /// The organization of the subject, at most 64 characters; nil for none.
    public var organization: String?
    /// Host names, which may begin with `*.`, and IP addresses.
    public var names: [String]
    /// What the certificate is for; empty for everything.
    public var uses: Set<Use>
    /// The first moment of its validity.
    public var notBefore: Timestamp
    /// The last moment of its validity.
    public var notAfter: Timestamp
    public var key: Key

    /// Describes a certificate. `names` are host names and IP addresses; without `uses` it is for anything.
    public init(
        commonName: String, organization: String? = nil, names: [String] = [], uses: Set<Use> = [],
        notBefore: Timestamp, notAfter: Timestamp, key: Key = .p256
    ) {
        (self.commonName, self.organization, self.names, self.uses) = (commonName, organization, names, uses)
        (self.notBefore, self.notAfter, self.key) = (notBefore, notAfter, key)
    }

    /// Checks the texts and moments.
    ///
    /// - Throws: ``CertificateError``
    func check() throws(CertificateError) {
        for text in [commonName] + [organization].compactMap(\.self) {
            let isText = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            guard isText, (1...64).contains(text.unicodeScalars.count) else { throw .unusableSubject(text) }
        }
        for name in names where SubjectName(name) == nil { throw .unusableName(name) }
        // X.509 has years up to 9999.
        let years = Timestamp(milliseconds: 0)...Timestamp(CivilDate(year: 9999, month: 12, day: 31))
        guard notBefore <= notAfter, years.contains(notBefore), years.contains(notAfter) else {
            throw .unusableValidity(from: notBefore, to: notAfter)
        }
    }
}

/// Why a certificate could not be made.
public enum CertificateError: Error, Hashable, Sendable {
    /// A common name or organization that is empty, too long, or has control characters.
    case unusableSubject(String)
    /// Neither a host name nor an IP address.
    case unusableName(String)
    /// The end of the validity is before its beginning, or beyond the year 9999.
    case unusableValidity(from: Timestamp, to: Timestamp)
    /// The certificate of an authority is not one, or has no key that belongs to it.
    case notAnAuthority(path: String)
    /// A file cannot be used.
    case unusableFile(TLSSetupError)
    /// A file cannot be written.
    case unwritable(FileStorageError)
    /// A folder has a certificate, but not the authority that it comes from.
    case noAuthority(path: String, found: String)
    /// libcrypto failed, almost always for lack of memory.
    case library(String)
}

extension CertificateError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unusableSubject(let text):
            "'\(text)' cannot be in a certificate: use 1 to 64 characters without control characters"
        case .unusableName(let name): "'\(name)' is neither a host name nor an IP address"
        case .unusableValidity(let from, let to): "a certificate cannot be valid from \(from) to \(to)"
        case .notAnAuthority(let path): "the certificate in '\(path)' is not that of an authority"
        case .unusableFile(let error): error.description
        case .unwritable(let error): error.description
        case .noAuthority(let path, let found):
            "there is no '\(path)', but '\(found)' is there: add the authority, or move the certificate away"
        case .library(let operation): "libcrypto failed at \(operation)"
        }
    }
}

/// A name of a certificate's subject (RFC 5280 §4.2.1.6).
enum SubjectName: Hashable, Sendable {
    case host(String)
    /// 4 or 16 bytes.
    case address([UInt8])

    /// Nil for a text that is neither a host name nor an address.
    init?(_ text: String) {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 {
                self = .address(bytes)
                return
            }
        }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let isHost = labels.enumerated().allSatisfy { index, label in
            (index == 0 && label == "*" && labels.count > 2) || Self.isLabel(label)
        }
        guard isHost, text.utf8.count <= 253 else { return nil }
        self = .host(text)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        let isWord = label.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        return isWord && (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
    }

    /// Returns the name for libcrypto, which the caller frees.
    func generalName() -> UnsafeMutablePointer<GENERAL_NAME>? {
        let (kind, type, bytes) =
            switch self {
            case .host(let text): (GEN_DNS, V_ASN1_IA5STRING, Array(text.utf8))
            case .address(let bytes): (GEN_IPADD, V_ASN1_OCTET_STRING, bytes)
            }
        guard let name = GENERAL_NAME_new() else { return nil }
        guard let value = ASN1_STRING_type_new(type), ASN1_STRING_set(value, bytes, Int32(bytes.count)) == 1 else {
            GENERAL_NAME_free(name)
            return nil
        }
        GENERAL_NAME_set0_value(name, kind, value)
        return name
    }
}
