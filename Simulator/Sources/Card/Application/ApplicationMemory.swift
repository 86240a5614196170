internal import Amounts
internal import CardSecrets
internal import SmartCard

/// What an application keeps when power goes away.
struct ApplicationMemory: Sendable {
    /// The application transaction counter (tag 9F36).
    var atc: UInt16
    /// Its value at the last transaction that was completed online (tag 9F13).
    var lastOnlineATC: UInt16
    /// The PIN as the block that VERIFY brings (format 2 of ISO 9564-1); nil when there is none.
    var pinBlock: SealedBytes?
    /// Tag 9F17
    var pinTriesLeft: UInt8
    var isBlocked: Bool
    /// The limits of offline payments, as the profile or an issuer script has them.
    var limits: OfflineLimits
    /// Payments approved offline since the last transaction online.
    var offlineCount = 0
    /// Minor units approved offline since the last transaction online.
    var offlineTotal: Int64 = 0
    /// Data objects in records that an issuer script has changed.
    var changedValues: [BERTag: SealedBytes] = [:]
    /// The transaction log, the newest record first.
    var log: [[UInt8]] = []
    /// The last transaction asked to go online and was not brought to its end.
    var lastOnlineNotCompleted = false
    /// The issuer's authentication failed at the last transaction online.
    var lastIssuerAuthenticationFailed = false
    /// The issuer did not prove itself at the last transaction online.
    var lastIssuerAuthenticationMissing = false
    /// The last transaction was declined offline.
    var declinedOffline = false
    /// It was, after static data authentication had failed.
    var lastStaticAuthenticationFailed = false
    /// It was, after dynamic or combined data authentication had failed.
    var lastDynamicAuthenticationFailed = false
    /// The issuer told the card to go online next time.
    var goesOnlineNextTime = false
    /// Issuer script commands since the last transaction that reported them.
    var scriptCommandCount: UInt8 = 0
    var scriptFailed = false

    init(_ profile: ApplicationProfile) {
        (atc, lastOnlineATC, isBlocked) = (profile.atc, profile.lastOnlineATC, profile.isBlocked)
        limits = profile.risk.limits
        pinTriesLeft = profile.pin?.triesLeft ?? 0
        pinBlock = profile.pin.map { Self.pinBlock($0.digits) }
    }

    /// Control nibble 2, the number of digits, the digits, and F up to eight bytes.
    private static func pinBlock(_ digits: SealedBytes) -> SealedBytes {
        var nibbles = digits.copy()
        let count = nibbles.count
        nibbles.insert(contentsOf: [2, UInt8(count & 0x0F)], at: 0)
        nibbles.append(contentsOf: repeatElement(0x0F, count: max(0, 16 - nibbles.count)))
        var block = TestPAN.pack(nibbles)
        defer {
            nibbles.wipe()
            block.wipe()
        }
        return SealedBytes(block)
    }
}
