/// Terminal action analysis: chooses the cryptogram to request from the TVR and the action codes of issuer and terminal
/// (EMV Book 3 §10.7).
struct TerminalActionAnalysis {
    /// The cryptogram to request, with its authorization response code.
    struct Request: Hashable, Sendable {
        var cryptogram: CryptogramType
        /// nil while the decision is the issuer's.
        var responseCode: AuthorizationResponseCode?
    }

    var issuer: ActionCodes
    var terminal: ActionCodes
    var connectivity: TerminalType.Connectivity
    /// Whether the card may approve without the issuer.
    var mayApproveOffline = true

    /// Creates an analysis. The first three parameters are the issuer action codes (9F0E, 9F0F, 9F0D). A missing code
    /// is nil: denial then has no bits set; online and default have all bits set.
    init(
        denial: TerminalVerificationResults?, online: TerminalVerificationResults?,
        default: TerminalVerificationResults?, terminal: ActionCodes, connectivity: TerminalType.Connectivity
    ) {
        let all = TerminalVerificationResults(rawValue: 0xFF_FFFF_FFFF)
        issuer = ActionCodes(denial: denial ?? [], online: online ?? all, default: `default` ?? all)
        (self.terminal, self.connectivity) = (terminal, connectivity)
    }

    /// Returns the request for the first GENERATE AC.
    func first(_ results: TerminalVerificationResults) -> Request {
        let declined = Request(cryptogram: .aac, responseCode: .offlineDeclined)
        let approved = Request(cryptogram: .tc, responseCode: .offlineApproved)
        if denies(results) { return declined }
        switch connectivity {
        case .onlineOnly: return Request(cryptogram: .arqc)
        case .offlineWithOnline:
            let online = issuer.online.union(terminal.online)
            return mayApproveOffline && results.isDisjoint(with: online) ? approved : Request(cryptogram: .arqc)
        case .offlineOnly: return mustDeclineWithoutIssuer(results) ? declined : approved
        }
    }

    /// Returns whether the action codes for denial decline the payment without the issuer.
    func denies(_ results: TerminalVerificationResults) -> Bool {
        !results.isDisjoint(with: issuer.denial.union(terminal.denial))
    }

    /// Returns the request for the second GENERATE AC when the issuer could not be reached. An online-only terminal
    /// never approves.
    func unableToGoOnline(_ results: TerminalVerificationResults) -> Request {
        connectivity == .onlineOnly || mustDeclineWithoutIssuer(results)
            ? Request(cryptogram: .aac, responseCode: .unableToGoOnlineDeclined)
            : Request(cryptogram: .tc, responseCode: .unableToGoOnlineApproved)
    }

    private func mustDeclineWithoutIssuer(_ results: TerminalVerificationResults) -> Bool {
        !mayApproveOffline || !results.isDisjoint(with: issuer.default.union(terminal.default))
    }
}

extension TerminalActionAnalysis {
    init(_ transaction: Transaction) {
        func code(_ value: [UInt8]?) -> TerminalVerificationResults? {
            value.flatMap { TerminalVerificationResults(bytes: $0) }
        }
        self.init(
            denial: code(transaction.data[EMVTag.issuerActionDenial]),
            online: code(transaction.data[EMVTag.issuerActionOnline]),
            default: code(transaction.data[EMVTag.issuerActionDefault]),
            terminal: transaction.terminalApplication?.actionCodes ?? ActionCodes(denial: [], online: [], default: []),
            connectivity: transaction.terminal.type.connectivity)
        mayApproveOffline = transaction.request.allowsOfflineApproval
    }
}
