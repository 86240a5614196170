internal import EMV
internal import SmartCard

/// Answers as the recorded terminal's issuer did, as far as the card was told.
struct RecordedIssuer: OnlineAuthorizer {
    let result: OnlineAuthorizationResult

    init(_ terminal: RecordedTerminal) {
        guard terminal.requests.count > 1, let final = terminal.finalValues else {
            result = .unableToGoOnline
            return
        }
        let asksForApproval = terminal.requests[1] & 0xC0 == 0x40
        let code = final[0x8A] ?? Array((asksForApproval ? "00" : "05").utf8)
        // Y3 and Z3 are the terminal's own words for an issuer that could not be asked.
        let isTerminalsOwn = [Array("Y3".utf8), Array("Z3".utf8)].contains(code)
        guard !isTerminalsOwn || terminal.issuerAuthenticationData != nil else {
            result = .unableToGoOnline
            return
        }
        func template(_ commands: [[UInt8]]) -> [[UInt8]] {
            commands.isEmpty ? [] : [commands.flatMap { BERTLV.encode(0x86, $0) }]
        }
        result = .answered(
            IssuerAnswer(
                authorisationResponseCode: isTerminalsOwn ? Array((asksForApproval ? "00" : "05").utf8) : code,
                issuerAuthenticationData: terminal.issuerAuthenticationData ?? final[0x91],
                scriptsBeforeFinal: template(terminal.scriptsBeforeFinal),
                scriptsAfterFinal: template(terminal.scriptsAfterFinal)))
    }

    func authorize(_ request: consuming OnlineAuthorizationRequest) async -> OnlineAuthorizationResult { result }
}
