/// Which cryptogram to ask for, from what was found and what issuer and payment system make of it
/// (EMV Book 3 §10.7).
struct TerminalActionAnalysis {
    /// What the terminal asks the card for, and the response code that goes with it.
    struct Request: Hashable, Sendable {
        var cryptogram: CryptogramType
        /// nil while the issuer decides.
        var responseCode: AuthorisationResponseCode?
    }

    var issuer: ActionCodes
    var terminal: ActionCodes
    var connectivity: TerminalType.Connectivity

    /// The first three are the issuer's codes (9F0E, 9F0F, 9F0D). One that the card does not have is nil and counts
    /// as no reason to deny, and as every reason to go online or to decline when that fails.
    init(
        denial: TerminalVerificationResults?, online: TerminalVerificationResults?,
        default: TerminalVerificationResults?, terminal: ActionCodes, connectivity: TerminalType.Connectivity
    ) {
        let all = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF)
        issuer = ActionCodes(denial: denial ?? [], online: online ?? all, default: `default` ?? all)
        (self.terminal, self.connectivity) = (terminal, connectivity)
    }

    /// Before the first GENERATE AC.
    func first(_ results: TerminalVerificationResults) -> Request {
        let declined = Request(cryptogram: .aac, responseCode: .offlineDeclined)
        let approved = Request(cryptogram: .tc, responseCode: .offlineApproved)
        if !results.isDisjoint(with: issuer.denial.union(terminal.denial)) { return declined }
        switch connectivity {
        case .onlineOnly: return Request(cryptogram: .arqc)
        case .offlineWithOnline:
            let online = issuer.online.union(terminal.online)
            return results.isDisjoint(with: online) ? approved : Request(cryptogram: .arqc)
        case .offlineOnly: return mustDeclineWithoutIssuer(results) ? declined : approved
        }
    }

    /// Before the second GENERATE AC, when the issuer was not reached. A terminal that only works online
    /// never approves by itself.
    func unableToGoOnline(_ results: TerminalVerificationResults) -> Request {
        connectivity == .onlineOnly || mustDeclineWithoutIssuer(results)
            ? Request(cryptogram: .aac, responseCode: .unableToGoOnlineDeclined)
            : Request(cryptogram: .tc, responseCode: .unableToGoOnlineApproved)
    }

    private func mustDeclineWithoutIssuer(_ results: TerminalVerificationResults) -> Bool {
        !results.isDisjoint(with: issuer.default.union(terminal.default))
    }
}

extension TerminalActionAnalysis {
    init(_ transaction: borrowing Transaction) {
        func code(_ value: [UInt8]?) -> TerminalVerificationResults? {
            value.flatMap { TerminalVerificationResults(bytes: $0) }
        }
        self.init(
            denial: code(transaction.data[EMVTag.issuerActionDenial]),
            online: code(transaction.data[EMVTag.issuerActionOnline]),
            default: code(transaction.data[EMVTag.issuerActionDefault]),
            terminal: transaction.terminalApplication?.actionCodes ?? ActionCodes(denial: [], online: [], default: []),
            connectivity: transaction.terminal.type.connectivity)
    }
}
