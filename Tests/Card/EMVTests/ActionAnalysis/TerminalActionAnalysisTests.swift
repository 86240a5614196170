import Testing

@testable import EMV

struct TerminalActionAnalysisTests {
    private let bit = TerminalVerificationResults.floorLimitExceeded
    private let none: TerminalVerificationResults = []

    private func analysis(
        _ connectivity: TerminalType.Connectivity = .offlineWithOnline, terminal: ActionCodes,
        denial: TerminalVerificationResults? = [], online: TerminalVerificationResults? = [],
        default: TerminalVerificationResults? = []
    ) -> TerminalActionAnalysis {
        TerminalActionAnalysis(
            denial: denial, online: online, default: `default`, terminal: terminal, connectivity: connectivity)
    }

    private func codes(
        denial: TerminalVerificationResults = [], online: TerminalVerificationResults = [],
        default: TerminalVerificationResults = []
    ) -> ActionCodes { ActionCodes(denial: denial, online: online, default: `default`) }

    private func request(_ type: CryptogramType, _ code: String?) -> TerminalActionAnalysis.Request {
        TerminalActionAnalysis.Request(
            cryptogram: type, responseCode: code.flatMap { AuthorizationResponseCode(bytes: Array($0.utf8)) })
    }

    // EMV Book 3 §10.7: a match with the denial code of terminal or issuer declines at every terminal
    @Test func `denial of terminal or issuer comes first`() {
        let every: [TerminalType.Connectivity] = [.onlineOnly, .offlineWithOnline, .offlineOnly]
        for connectivity in every {
            #expect(analysis(connectivity, terminal: codes(denial: bit, online: bit)).first(bit) == request(.aac, "Z1"))
            #expect(analysis(connectivity, terminal: codes(), denial: bit).first(bit) == request(.aac, "Z1"))
        }
    }

    @Test func `a card that may not approve offline is asked to go online, and declined without the issuer`() {
        var asked = analysis(terminal: codes())
        #expect(asked.first(none) == request(.tc, "Y1"))
        #expect(asked.unableToGoOnline(none) == request(.tc, "Y3"))
        asked.mayApproveOffline = false
        #expect(asked.first(none) == request(.arqc, nil))
        #expect(asked.unableToGoOnline(none) == request(.aac, "Z3"))
        #expect(asked.first(bit) == request(.arqc, nil))
        var offline = analysis(.offlineOnly, terminal: codes())
        offline.mayApproveOffline = false
        #expect(offline.first(none) == request(.aac, "Z1"))
    }

    // EMV Book 3 §10.7: a match with the online code of terminal or issuer asks for an ARQC, else a TC is asked for
    @Test func `online of terminal or issuer asks the issuer, else the card approves`() {
        #expect(analysis(terminal: codes(online: bit)).first(bit) == request(.arqc, nil))
        #expect(analysis(terminal: codes(), online: bit).first(bit) == request(.arqc, nil))
        #expect(analysis(terminal: codes(online: bit)).first(none) == request(.tc, "Y1"))
        #expect(analysis(terminal: codes(default: bit)).first(bit) == request(.tc, "Y1"))
    }

    // EMV Book 3 §10.7: an offline-only terminal weighs the default codes at the first GENERATE AC
    @Test func `an online-only terminal always asks, an offline-only terminal uses default`() {
        #expect(analysis(.onlineOnly, terminal: codes()).first(none) == request(.arqc, nil))
        #expect(analysis(.offlineOnly, terminal: codes(online: bit)).first(bit) == request(.tc, "Y1"))
        #expect(analysis(.offlineOnly, terminal: codes(default: bit)).first(bit) == request(.aac, "Z1"))
        #expect(analysis(.offlineOnly, terminal: codes(), default: bit).first(bit) == request(.aac, "Z1"))
    }

    // EMV Book 3 §10.7: without issuer codes nothing is denied and every finding goes online
    @Test func `without issuer codes nothing is denied, and any bit goes online or declines`() {
        let bare = analysis(terminal: codes(), denial: nil, online: nil, default: nil)
        #expect(bare.first(bit) == request(.arqc, nil))
        #expect(bare.first(none) == request(.tc, "Y1"))
        #expect(bare.unableToGoOnline(bit) == request(.aac, "Z3"))
        #expect(bare.unableToGoOnline(none) == request(.tc, "Y3"))
    }

    // EMV Book 3 §10.7: the default codes decide when the issuer cannot be asked
    @Test func `when the issuer is unreachable, the default action code decides`() {
        #expect(analysis(terminal: codes(default: bit)).unableToGoOnline(bit) == request(.aac, "Z3"))
        #expect(analysis(terminal: codes(), default: bit).unableToGoOnline(bit) == request(.aac, "Z3"))
        #expect(analysis(terminal: codes(online: bit)).unableToGoOnline(bit) == request(.tc, "Y3"))
        #expect(analysis(.onlineOnly, terminal: codes()).unableToGoOnline(none) == request(.aac, "Z3"))
    }

    // EMV Book 3 §10.8: TC, ARQC and AAC are ordered, and an answer may be lower than what was asked
    @Test func `a card may return a lower cryptogram than requested, never a higher one`() {
        let types: [CryptogramType] = [.aac, .arqc, .tc]
        #expect(types.filter { CryptogramType.tc.permits($0) } == [.aac, .arqc, .tc])
        #expect(types.filter { CryptogramType.arqc.permits($0) } == [.aac, .arqc])
        #expect(types.filter { CryptogramType.aac.permits($0) } == [.aac])
    }
}
