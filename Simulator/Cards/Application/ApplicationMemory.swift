import CardSecrets
import Money
import SmartCard

/// The non-volatile state of an application.
struct ApplicationMemory: Sendable {
    /// The application transaction counter (tag 9F36).
    var atc: UInt16
    /// The ATC of the last transaction completed online (tag 9F13).
    var lastOnlineATC: UInt16
    /// The PIN as the PIN block that VERIFY sends (ISO 9564-1 format 2); nil without a PIN.
    var pinBlock: SealedBytes?
    /// The PIN try counter (tag 9F17).
    var pinTriesLeft: UInt8
    var isBlocked: Bool
    /// The offline limits, as set by the profile or an issuer script.
    var limits: OfflineLimits
    /// The number of offline approvals since the last online transaction.
    var offlineCount = 0
    /// The amount approved offline since the last online transaction, in minor units.
    var offlineTotal: Int64 = 0
    /// Data objects in records that an issuer script changed.
    var changedValues: [BERTag: SealedBytes] = [:]
    /// The transaction log, newest record first.
    var log: [[UInt8]] = []
    /// The last transaction requested online authorization but was not completed.
    var lastOnlineNotCompleted = false
    /// Issuer authentication failed in the last online transaction.
    var lastIssuerAuthenticationFailed = false
    /// The last online transaction had no issuer authentication.
    var lastIssuerAuthenticationMissing = false
    /// The last transaction was declined offline.
    var declinedOffline = false
    /// The last transaction was declined offline after static data authentication failed.
    var lastStaticAuthenticationFailed = false
    /// The last transaction was declined offline after dynamic or combined data authentication failed.
    var lastDynamicAuthenticationFailed = false
    /// The issuer requested that the next transaction go online.
    var goesOnlineNextTime = false
    /// The number of issuer script commands since the last transaction that reported them.
    var scriptCommandCount: UInt8 = 0
    var scriptFailed = false

    init(_ profile: ApplicationProfile) {
        (atc, lastOnlineATC, isBlocked) = (profile.atc, profile.lastOnlineATC, profile.isBlocked)
        limits = profile.risk.limits
        pinTriesLeft = profile.pin?.triesLeft ?? 0
        pinBlock = profile.pin.map { Self.pinBlock($0.digits) }
    }

    /// Builds the PIN block: control nibble 2, the number of digits, the digits, and F up to eight bytes.
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

/// State that a transaction leaves for later ones.
extension ApplicationMemory {
    /// Records the answer to the first GENERATE AC.
    mutating func finishFirst(_ answer: CardVerificationResults.Answer, _ risk: CardRiskManagement) {
        switch answer {
        case .arqc: lastOnlineNotCompleted = true
        case .tc: countOffline(risk)
        case .aac: noteDecline(risk)
        }
    }

    /// Records the answer to the second GENERATE AC.
    mutating func finishSecond(_ answer: CardVerificationResults.Answer, _ risk: CardRiskManagement) {
        let transaction = risk.transaction
        guard risk.wentOnline else {
            if answer == .tc { countOffline(risk) } else { noteDecline(risk) }
            return
        }
        lastIssuerAuthenticationFailed = transaction.issuerAuthentication == .failed
        guard risk.heardIssuer else { return }
        lastIssuerAuthenticationMissing = transaction.issuerAuthentication == .notPerformed
        (lastOnlineNotCompleted, declinedOffline) = (false, false)
        (lastStaticAuthenticationFailed, lastDynamicAuthenticationFailed) = (false, false)
        lastOnlineATC = transaction.atc
        // The ARQC of this transaction reported the script commands before it, not those in it.
        scriptCommandCount -= min(scriptCommandCount, transaction.reportedScriptCommands)
        scriptFailed = transaction.scriptFailed
        goesOnlineNextTime = false
        guard case .succeeded(.cardStatusUpdate(let update)) = transaction.issuerAuthentication else {
            (offlineCount, offlineTotal) = (0, 0)
            return
        }
        goesOnlineNextTime = update.goesOnlineNextTime
        switch update.counters {
        case .leave: break
        case .reset: (offlineCount, offlineTotal) = (0, 0)
        case .setToUpperLimits:
            offlineCount = limits.upperCount.map(Int.init) ?? offlineCount
            offlineTotal = limits.upperAmount ?? offlineTotal
        case .addTransaction: countOffline(risk)
        }
    }

    private mutating func countOffline(_ risk: CardRiskManagement) {
        declinedOffline = false
        offlineCount += 1
        offlineTotal = risk.offlineTotal ?? .max
    }

    /// Records an offline decline: the TVR (tag 95) says whether data authentication failed.
    private mutating func noteDecline(_ risk: CardRiskManagement) {
        let results = risk.transaction.terminalValues[0x95]?.first ?? 0
        declinedOffline = true
        lastStaticAuthenticationFailed = results & 0x40 != 0
        lastDynamicAuthenticationFailed = results & 0x0C != 0
    }
}
