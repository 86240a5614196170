public import Determinism

/// Why a connection failed in TLS.
public enum TLSFailure: Error, Hashable, Sendable {
    /// The peer's certificate has expired.
    case expired(CertificateSummary)
    /// The peer's certificate is not valid yet, or the clock of this machine is wrong.
    case notYetValid(CertificateSummary)
    /// The peer's certificate is for other names.
    case wrongName(expected: String, CertificateSummary)
    /// No trusted authority has issued the peer's certificate.
    case unknownAuthority(CertificateSummary)
    /// The peer's certificate is not made for this side of a connection.
    case wrongUse(CertificateSummary)
    /// The peer's certificate is refused for another reason; the text comes from libcrypto.
    case refusedCertificate(reason: String, CertificateSummary?)
    /// The client has shown no certificate, and this server demands one.
    case noCertificate
    /// The peer has refused the connection, or broken it off.
    case alert(TLSAlert)
    /// The peer takes only versions of TLS that this side refuses.
    case versionTooLow
    /// The peer does not speak TLS. The text shows its first bytes with every digit masked.
    case notTLS(firstBytes: String)
    /// The peer closed the connection before the handshake was complete.
    case closedInHandshake
    /// The connection ended without TLS's mark of an end: somebody may have cut it.
    case truncated
    /// The peer violated the protocol, or the parameters do not match; the text comes from libssl.
    case failed(reason: String)
}

/// What a certificate says, with every text shortened and free of control characters.
public struct CertificateSummary: Hashable, Sendable {
    /// The common name, or the whole subject without one.
    public let subject: String
    /// The common name of the issuer, or all of its name.
    public let issuer: String
    /// The host names and IP addresses, at most 20.
    public let names: [String]
    /// The first moment of its validity.
    public let notBefore: Timestamp
    /// The last moment of its validity.
    public let notAfter: Timestamp
    /// Whether subject and issuer are the same.
    public let isSelfSigned: Bool
}

/// A message that ends a TLS connection (RFC 8446 §6.2).
public struct TLSAlert: Hashable, Sendable, CustomStringConvertible {
    /// 0...255
    public let code: Int

    /// Takes the description's number, 0...255.
    public init(code: Int) { self.code = code }

    /// `certificate_required`
    public static let certificateRequired = TLSAlert(code: 116)
    /// `protocol_version`
    public static let protocolVersion = TLSAlert(code: 70)
    /// `unknown_ca`
    public static let unknownAuthority = TLSAlert(code: 48)

    /// The name in the registry of TLS, or the number.
    public var description: String { Self.names[code] ?? "alert \(code)" }

    private static let names = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied", 50: "decode_error",
        51: "decrypt_error", 60: "export_restriction", 70: "protocol_version", 71: "insufficient_security",
        80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled", 100: "no_renegotiation",
        109: "missing_extension", 110: "unsupported_extension", 111: "certificate_unobtainable",
        112: "unrecognized_name", 113: "bad_certificate_status_response", 114: "bad_certificate_hash_value",
        115: "unknown_psk_identity", 116: "certificate_required", 120: "no_application_protocol",
    ]

    /// The meaning of a peer's alert for this side.
    var advice: String? {
        switch code {
        case 40: "it accepts none of this side's parameters"
        case 42, 43, 44, 46: "it refuses this side's certificate"
        case 45: "this side's certificate has expired"
        case 48: "it does not know the authority of this side's certificate"
        case 49: "it does not let this side's certificate in"
        case 70: "it takes none of this side's versions of TLS"
        case 112: "it does not serve this host name"
        case 116: "it demands a certificate of this side"
        default: nil
        }
    }
}

extension TLSFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .expired(let certificate):
            "the certificate of '\(certificate.subject)' expired at \(certificate.notAfter)"
        case .notYetValid(let certificate):
            "the certificate of '\(certificate.subject)' is valid from \(certificate.notBefore): check the clock"
        case .wrongName(let expected, let certificate):
            "the certificate is not for '\(expected)', but for "
                + (certificate.names.isEmpty
                    ? "'\(certificate.subject)'" : certificate.names.map { "'\($0)'" }.joined(separator: ", "))
        case .unknownAuthority(let certificate):
            certificate.isSelfSigned
                ? "the certificate of '\(certificate.subject)' is signed by itself, and is not among the trusted ones"
                : "the certificate of '\(certificate.subject)' comes from '\(certificate.issuer)', which is not trusted"
        case .wrongUse(let certificate):
            "the certificate of '\(certificate.subject)' is not made for this side of a connection"
        case .refusedCertificate(let reason, let certificate):
            (certificate.map { "the certificate of '\($0.subject)' is refused" } ?? "the certificate is refused")
                + ": \(reason)"
        case .noCertificate: "the client shows no certificate"
        case .alert(let alert):
            "the peer ended TLS with \(alert)" + (alert.advice.map { ": \($0)" } ?? "")
        case .versionTooLow: "the peer offers only versions of TLS that are not safe"
        case .notTLS(let bytes): "the peer does not speak TLS: it sent '\(bytes)'"
        case .closedInHandshake: "the peer closed the connection during the TLS handshake"
        case .truncated: "the connection was cut: it ended without TLS's close_notify"
        case .failed(let reason): "TLS failed: \(reason)"
        }
    }
}
