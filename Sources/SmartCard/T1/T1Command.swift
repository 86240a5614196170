internal import CardSecrets

/// The command that a T=1 exchange is about. It can hold a PIN: its memory is wiped when nobody needs it any more,
/// however the exchange ended.
final class T1Command: Sendable {
    let bytes: SensitiveBytes

    init(_ apdu: [UInt8]) { bytes = SensitiveBytes(apdu) }

    var count: Int { bytes.count }
}
