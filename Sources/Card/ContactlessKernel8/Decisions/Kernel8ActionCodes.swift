public import EMV

/// Terminal action codes of kernel 8 (tags 9F820B, 9F820C). There are no codes of the issuer, and no default codes.
public struct Kernel8ActionCodes: Hashable, Sendable {
    /// Decline if any of these TVR bits is set.
    public var denial: Kernel8VerificationResults
    /// Go online if any of these TVR bits is set.
    public var online: Kernel8VerificationResults

    /// Combines the two masks.
    public init(denial: Kernel8VerificationResults, online: Kernel8VerificationResults) {
        (self.denial, self.online) = (denial, online)
    }

    /// The results that only an issuer can approve: a card that was not authenticated, a cardholder who was not
    /// verified or entered a PIN for the issuer, an amount above the floor limit, and a card behind a relay.
    public static let issuerDecides: Kernel8VerificationResults = [
        .localAuthenticationNotPerformed, .localAuthenticationFailed, .cardholderVerificationFailed,
        .onlineCVMCaptured, .floorLimitExceeded, .relayResistanceThresholdExceeded,
        .relayResistanceTimeLimitsExceeded,
    ]

    /// The codes of a shop that can go online. They are ours: no payment system has published its values.
    public static let shop = Kernel8ActionCodes(denial: [], online: issuerDecides)

    /// Translates the codes of an application for cards with contacts. Bits that kernel 8 does not have are left out,
    /// and those of ``shop`` always count. A terminal that never goes online declines what its issuer would decide,
    /// also by the default codes.
    ///
    /// - Parameters:
    ///   - codes: the terminal action codes over the TVR of cards with contacts.
    ///   - type: tag 9F35.
    public init(_ codes: ActionCodes, terminalType type: TerminalType) {
        denial = Kernel8VerificationResults(contact: codes.denial)
        online = Kernel8VerificationResults(contact: codes.online).union(Self.issuerDecides)
        guard type.connectivity == .offlineOnly else { return }
        denial.formUnion(Self.issuerDecides)
        denial.formUnion(Kernel8VerificationResults(contact: codes.default))
    }
}

/// What a terminal can do, as kernel 8 tells cards (tags 9F8206 to 9F8208). The kernel makes the terminal capabilities
/// (9F33) of them.
public struct Kernel8Capabilities: Hashable, Sendable {
    /// Byte 1 of the terminal capabilities (tag 9F8206).
    public var cardDataInput: UInt8
    /// The methods of cardholder verification above the limit (tag 9F8207): 40 online PIN, 20 signature, 08 none, 04
    /// the cardholder's device.
    public var cvmRequired: UInt8
    /// Those up to the limit (tag 9F8208).
    public var cvmNotRequired: UInt8

    /// Combines the three bytes.
    public init(cardDataInput: UInt8, cvmRequired: UInt8, cvmNotRequired: UInt8) {
        (self.cardDataInput, self.cvmRequired, self.cvmNotRequired) = (cardDataInput, cvmRequired, cvmNotRequired)
    }

    /// Online PIN and the cardholder's device above the limit, no verification up to it, and every input.
    public static let shop = Kernel8Capabilities(cardDataInput: 0xE0, cvmRequired: 0x44, cvmNotRequired: 0x08)

    /// Takes the capabilities of a terminal. Above the limit it has what it can do beside no verification; up to it, no
    /// verification, or the same methods where it has to verify every cardholder. A terminal that never goes online
    /// has no online PIN. The device of a cardholder needs nothing of the terminal.
    public init(_ terminal: TerminalConfiguration) {
        cardDataInput = (terminal.capabilities.bytes.first ?? 0) & 0xE0
        var methods: UInt8 = 0x04
        if terminal.capabilities.contains(.encipheredOnlinePIN), terminal.type.connectivity != .offlineOnly {
            methods |= 0x40
        }
        if terminal.capabilities.contains(.signature) { methods |= 0x20 }
        cvmRequired = methods
        cvmNotRequired = terminal.capabilities.contains(.noCVMRequired) ? 0x08 : methods
    }
}
