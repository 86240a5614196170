import Cryptography
import Text

/// Signs what is sent to webhook endpoints: `t=SECONDS,v1=CODE`, where the code is HMAC-SHA256 of the time, a full
/// stop, and the body, with the endpoint's whole secret as the key.
enum StripeSignature {
    /// Makes the value of the header field `Stripe-Signature`.
    ///
    /// - Parameters:
    ///   - body: the bytes that are sent.
    ///   - secret: the endpoint's secret with its prefix `whsec_`.
    ///   - seconds: the wall clock's seconds since 1970. Receivers refuse times that are minutes away from theirs.
    /// - Returns: the value, in ASCII.
    /// - Throws: a failure of libcrypto.
    static func header(_ body: [UInt8], secret: String, seconds: Int64) throws(CryptographyError) -> String {
        let code = try HMAC.code(Array("\(seconds).".utf8) + body, key: Array(secret.utf8))
        return "t=\(seconds),v1=\(code.lowercaseHexadecimal)"
    }
}
