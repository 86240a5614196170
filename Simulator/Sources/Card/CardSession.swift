internal import SmartCard

/// What a card knows between reset and power off.
struct CardSession: Sendable {
    enum Selection: Hashable, Sendable {
        case none
        /// The payment system environment.
        case directory
        /// An application, by its position on the card.
        case application(Int)
    }

    var selection = Selection.none
    /// The transaction since GET PROCESSING OPTIONS.
    var transaction: CardTransaction?
    /// The unpredictable number of the last command, if that was GET CHALLENGE.
    var challenge: [UInt8]?
}

/// One transaction as the card sees it.
struct CardTransaction: Sendable {
    enum Phase: Hashable, Sendable {
        /// Since GET PROCESSING OPTIONS: records may be read and the PIN verified.
        case initiated
        /// Since an ARQC at the first GENERATE AC.
        case awaitingIssuer
        /// Since a TC or an AAC.
        case completed
    }

    enum IssuerAuthentication: Hashable, Sendable {
        case notPerformed
        case succeeded(IssuerAuthenticationData.Content)
        case failed
    }

    var phase = Phase.initiated
    let atc: UInt16
    /// What the terminal has sent by PDOL and CDOL, later values over earlier ones.
    var terminalValues: [BERTag: [UInt8]]
    /// The same as it came: the data of the PDOL, then of each CDOL.
    var terminalData: [UInt8]
    /// The ARQC; nil until the card has asked to go online.
    var arqc: [UInt8]?
    /// The unpredictable number (tag 9F37) that went into the ARQC.
    var unpredictableNumber: [UInt8] = []
    var results: CardVerificationResults
    /// Issuer script commands that the first cryptogram told the issuer of.
    let reportedScriptCommands: UInt8
    /// An issuer script command of this transaction failed.
    var scriptFailed = false
    var issuerAuthentication = IssuerAuthentication.notPerformed

    /// Amount, authorised (tag 9F02), in minor units; nil when its digits are none.
    var amount: Int64? {
        terminalValues[0x9F02].flatMap(Self.amount)
    }

    /// An amount in bytes of two decimal digits each; nil when a digit is none.
    static func amount(_ bytes: [UInt8]) -> Int64? {
        var amount: Int64 = 0
        for nibble in bytes.flatMap({ [$0 >> 4, $0 & 0x0F] }) {
            guard nibble <= 9 else { return nil }
            let (tens, overflow) = amount.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            amount = tens + Int64(nibble)
        }
        return amount
    }
}
