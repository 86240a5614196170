internal import CCurl

extension NetworkError {
    /// `code`: libcurl's result (libcurl-errors(3)).
    /// `verification`: what OpenSSL found about the certificate (X509_STORE_CTX_get_error(3)).
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
        // libcurl compares the name itself, after OpenSSL has found nothing, and says so in words only.
        case _ where explanation.contains("target host name"): self = .wrongHost
        default: self = .other(explanation)
        }
    }
}
